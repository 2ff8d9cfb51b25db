//! What other programs may use of this crate, a line each, is what public-api.txt says: a change of it is seen by
//! whoever reads the commit, and takes a new version.
use quote::ToTokens;
use std::collections::BTreeSet;
use std::path::Path;
use syn::{Attribute, Fields, ImplItem, Item, TraitItem, Type, UseTree, Visibility};

/// Of one file: the public names of lib.rs, or what stands in a module.
fn items(path: &Path) -> Vec<Item> {
    let text = std::fs::read_to_string(path).expect("a source file");
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())).items
}

/// Every source file below, models apart.
fn sources(folder: &Path, found: &mut Vec<Vec<Item>>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("models") {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(items(&path));
        }
    }
}

fn names(tree: &UseTree, found: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => names(&path.tree, found),
        UseTree::Name(name) => drop(found.insert(name.ident.to_string())),
        UseTree::Rename(rename) => drop(found.insert(format!("{} as {}", rename.ident, rename.rename))),
        UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, found)),
        UseTree::Glob(_) => panic!("a glob hides what is public"),
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// As a person would write it.
fn said(tokens: &dyn ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (spaced, close) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" ::", "::"),
        (" ,", ","),
        (" :", ":"),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" < ", "<"),
        ("< ", "<"),
        (" <", "<"),
        (" >", ">"),
        (" ?", "?"),
        (" ;", ";"),
        ("[ ", "["),
        (" ]", "]"),
        (", >", ">"),
        (",)", ")"),
        ("* mut", "*mut"),
        ("* const", "*const"),
        ("' ", "'"),
        ("- >", "->"),
        ("->", " -> "),
        ("  ", " "),
    ] {
        text = text.replace(spaced, close);
    }
    text
}

fn marks(attributes: &[Attribute]) -> String {
    let is_told = |attribute: &&Attribute| {
        ["non_exhaustive", "must_use", "derive"].iter().any(|name| attribute.path().is_ident(name))
    };
    attributes.iter().filter(is_told).map(|attribute| format!("{} ", said(attribute).replace("# [", "#["))).collect()
}

fn fields(of: &str, fields: &Fields, are_public: bool, lines: &mut BTreeSet<String>) {
    for (index, field) in fields.iter().enumerate().filter(|(_, field)| are_public || is_public(&field.vis)) {
        let name = field.ident.as_ref().map_or(index.to_string(), |name| name.to_string());
        lines.insert(format!("{of}.{name}: {}", said(&field.ty)));
    }
}

fn describe(item: &Item, exported: &BTreeSet<String>, lines: &mut BTreeSet<String>) {
    let is_exported = |name: &syn::Ident| exported.contains(&name.to_string());
    match item {
        Item::Fn(function) if is_public(&function.vis) && is_exported(&function.sig.ident) => {
            lines.insert(said(&function.sig));
        }
        Item::Const(constant) if is_public(&constant.vis) && is_exported(&constant.ident) => {
            lines.insert(format!("const {}: {} = {}", constant.ident, said(&constant.ty), said(&constant.expr)));
        }
        Item::Struct(one) if is_public(&one.vis) && is_exported(&one.ident) => {
            let name = one.ident.to_string();
            lines.insert(format!("struct {name}{} {}", said(&one.generics), marks(&one.attrs)));
            fields(&name, &one.fields, false, lines);
        }
        Item::Enum(one) if is_public(&one.vis) && is_exported(&one.ident) => {
            lines.insert(format!("enum {} {}", one.ident, marks(&one.attrs)));
            for variant in &one.variants {
                let name = format!("{}::{}", one.ident, variant.ident);
                fields(&name, &variant.fields, true, lines);
                let number =
                    variant.discriminant.as_ref().map_or(String::new(), |(_, value)| format!(" = {}", said(value)));
                lines.insert(format!("{name}{number} {}", marks(&variant.attrs)));
            }
        }
        Item::Trait(one) if is_public(&one.vis) && is_exported(&one.ident) => {
            lines.insert(format!("trait {}: {}", one.ident, said(&one.supertraits)));
            for item in &one.items {
                if let TraitItem::Fn(function) = item {
                    lines.insert(format!("{}::{}", one.ident, said(&function.sig)));
                }
            }
        }
        Item::Impl(one) => {
            let Type::Path(path) = &*one.self_ty else { return };
            let Some(name) = path.path.segments.last().filter(|segment| is_exported(&segment.ident)) else { return };
            if let Some((path, _)) = &one.trait_ {
                lines.insert(format!("impl {} for {}", said(path), said(&one.self_ty)));
                return;
            }
            for item in &one.items {
                match item {
                    ImplItem::Fn(function) if is_public(&function.vis) => {
                        lines.insert(format!("{}::{}{}", name.ident, marks(&function.attrs), said(&function.sig)));
                    }
                    ImplItem::Const(constant) if is_public(&constant.vis) => {
                        lines.insert(format!("{}::const {}: {}", name.ident, constant.ident, said(&constant.ty)));
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

#[test]
fn what_is_public_is_what_the_listing_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut exported, mut within, mut lines) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for item in items(&root.join("src/lib.rs")) {
        match item {
            Item::Use(one) if is_public(&one.vis) => names(&one.tree, &mut exported),
            // Of a public module whatever is public in its file.
            Item::Mod(module) if is_public(&module.vis) => {
                let names =
                    items(&root.join(format!("src/{}.rs", module.ident))).into_iter().filter_map(|item| match item {
                        Item::Fn(one) if is_public(&one.vis) => Some(one.sig.ident),
                        Item::Const(one) if is_public(&one.vis) => Some(one.ident),
                        Item::Struct(one) if is_public(&one.vis) => Some(one.ident),
                        Item::Enum(one) if is_public(&one.vis) => Some(one.ident),
                        _ => None,
                    });
                let names: Vec<String> = names.map(|name| name.to_string()).collect();
                lines.extend(names.iter().map(|name| format!("pub {}::{name}", module.ident)));
                within.extend(names);
            }
            _ => {}
        }
    }
    assert!(exported.len() > 30, "{exported:?}");
    let mut all = Vec::new();
    sources(&root.join("src"), &mut all);
    lines.extend(exported.iter().map(|name| format!("pub {name}")));
    for file in &all {
        // Two types may have one name; the public one is meant.
        let hides = |name: &String| {
            file.iter().any(|item| match item {
                Item::Struct(one) => one.ident == *name && !is_public(&one.vis),
                Item::Enum(one) => one.ident == *name && !is_public(&one.vis),
                _ => false,
            })
        };
        let originals = exported.iter().chain(&within).map(|name| name.split(" as ").next().unwrap_or(name).to_owned());
        let seen: BTreeSet<String> = originals.filter(|name| !hides(name)).collect();
        file.iter().for_each(|item| describe(item, &seen, &mut lines));
    }
    let listing: String = lines.iter().map(|line| format!("{}\n", line.trim_end())).collect();
    let path = root.join("public-api.txt");
    if std::env::var_os("LEVERET_WRITE_API").is_some() {
        std::fs::write(&path, &listing).expect("written");
    }
    let committed = std::fs::read_to_string(&path).expect("the committed listing");
    for line in listing.lines().filter(|line| !committed.lines().any(|known| known == *line)) {
        println!("new: {line}");
    }
    for line in committed.lines().filter(|line| !listing.lines().any(|known| known == *line)) {
        println!("gone: {line}");
    }
    assert!(
        committed == listing,
        "public-api.txt is stale: LEVERET_WRITE_API=1 cargo test -p leveret-engine --test public_api"
    );
}
