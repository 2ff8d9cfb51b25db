//! From tokens to a tree. A script outside of the subset has no tree: it is refused, not half evaluated.
use super::token::{tokens, LuaToken, LuaTokenKind};
use super::tree::{BinaryOperator, Block, Expression, Function, Statement, UnaryOperator};

/// Longest text.
pub const TEXT_MAX: usize = 4096;

/// Most nodes of a tree.
const NODES_MAX: usize = 256;

/// Deepest nesting, which the evaluator follows with its own stack.
const DEPTH_MAX: usize = 64;

/// A script that can be evaluated.
#[derive(Debug)]
pub struct ScriptTree {
    /// Its body.
    pub block: Block,
    /// How many places its locals take.
    pub places: usize,
}

/// None: it has something that is not evaluated here.
pub fn parse(text: &[u8]) -> Option<ScriptTree> {
    if text.len() > TEXT_MAX {
        return None;
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, locals: Vec::new(), places: 0, nodes: 0, depth: 0 };
    let block = parser.block()?;
    (parser.at == tokens.len()).then_some(ScriptTree { block, places: parser.places })
}

struct Parser<'t> {
    tokens: &'t [LuaToken],
    at: usize,
    /// Names that can be seen, and their places.
    locals: Vec<(Vec<u8>, usize)>,
    places: usize,
    nodes: usize,
    depth: usize,
}

const KEYWORDS: [&str; 21] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil", "not", "or",
    "repeat", "return", "then", "true", "until", "while",
];

impl Parser<'_> {
    fn peek(&self) -> Option<&LuaTokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(LuaTokenKind::Name(name)) if name == word.as_bytes())
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(LuaTokenKind::Sign(found)) if *found == sign)
    }

    fn take_word(&mut self, word: &str) -> Option<()> {
        self.is_word(word).then(|| self.at += 1)
    }

    fn take_sign(&mut self, sign: &str) -> Option<()> {
        self.is_sign(sign).then(|| self.at += 1)
    }

    /// A name that is no word of the language.
    fn take_name(&mut self) -> Option<Vec<u8>> {
        match self.peek() {
            Some(LuaTokenKind::Name(name)) if !KEYWORDS.iter().any(|word| word.as_bytes() == name) => {
                let name = name.clone();
                self.at += 1;
                Some(name)
            }
            _ => None,
        }
    }

    fn count(&mut self) -> Option<()> {
        self.nodes += 1;
        (self.nodes <= NODES_MAX).then_some(())
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let parsed = if self.depth <= DEPTH_MAX { parse(self) } else { None };
        self.depth -= 1;
        parsed
    }

    fn block(&mut self) -> Option<Block> {
        let visible = self.locals.len();
        let block = self.nested(|parser| {
            let mut block = Vec::new();
            loop {
                while parser.take_sign(";").is_some() {}
                let is_end = ["end", "else", "elseif"].iter().any(|word| parser.is_word(word));
                if is_end || parser.peek().is_none() {
                    return Some(block);
                }
                let statement = parser.statement()?;
                let is_return = matches!(statement, Statement::Return(_));
                block.push(statement);
                if is_return {
                    // It is the last one of a block.
                    while parser.take_sign(";").is_some() {}
                    return Some(block);
                }
            }
        });
        self.locals.truncate(visible);
        block
    }

    fn statement(&mut self) -> Option<Statement> {
        self.count()?;
        if self.take_word("local").is_some() {
            return self.local();
        }
        if self.take_word("if").is_some() {
            return self.branches();
        }
        if self.take_word("do").is_some() {
            let block = self.block()?;
            self.take_word("end")?;
            return Some(Statement::Do(block));
        }
        if self.take_word("return").is_some() {
            let is_empty = self.peek().is_none() || ["end", "else", "elseif"].iter().any(|word| self.is_word(word));
            if is_empty || self.is_sign(";") {
                return Some(Statement::Return(None));
            }
            let first = self.expression()?;
            // Further values are not told to clients.
            while self.take_sign(",").is_some() {
                self.expression()?;
            }
            return Some(Statement::Return(Some(first)));
        }
        let begin = self.at;
        if let Some(name) = self.take_name() {
            let place = self.place_of(&name);
            if self.take_sign("=").is_some() {
                // A global cannot be made.
                return Some(Statement::Assign(vec![place?], vec![self.expression()?]));
            }
        }
        self.at = begin;
        match self.suffixed()? {
            call @ Expression::Call(..) => Some(Statement::Call(call)),
            _ => None,
        }
    }

    fn local(&mut self) -> Option<Statement> {
        let mut names = vec![self.take_name()?];
        while self.take_sign(",").is_some() {
            names.push(self.take_name()?);
        }
        let mut values = Vec::new();
        if self.take_sign("=").is_some() {
            values.push(self.expression()?);
            while self.take_sign(",").is_some() {
                values.push(self.expression()?);
            }
        }
        // Seen behind the statement only.
        let mut places = Vec::new();
        for name in names {
            places.push(self.places);
            self.locals.push((name, self.places));
            self.places += 1;
        }
        Some(Statement::Assign(places, values))
    }

    fn branches(&mut self) -> Option<Statement> {
        let mut branches = Vec::new();
        loop {
            let condition = self.expression()?;
            self.take_word("then")?;
            branches.push((Some(condition), self.block()?));
            if self.take_word("elseif").is_some() {
                continue;
            }
            if self.take_word("else").is_some() {
                branches.push((None, self.block()?));
            }
            self.take_word("end")?;
            return Some(Statement::If(branches));
        }
    }

    fn place_of(&self, name: &[u8]) -> Option<usize> {
        self.locals.iter().rev().find(|(local, _)| local == name).map(|(_, place)| *place)
    }

    fn expression(&mut self) -> Option<Expression> {
        self.nested(|parser| parser.binary(0))
    }

    /// Operators that bind at least as strongly as `level`.
    fn binary(&mut self, level: u8) -> Option<Expression> {
        let mut left = self.unary()?;
        while let Some((operator, strength, is_right)) = self.operator().filter(|(_, strength, _)| *strength >= level) {
            let line = self.line();
            self.at += 1;
            self.count()?;
            let next = if is_right { strength } else { strength + 1 };
            let right = self.nested(|parser| parser.binary(next))?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right), line);
        }
        Some(left)
    }

    fn operator(&self) -> Option<(BinaryOperator, u8, bool)> {
        Some(match self.peek()? {
            LuaTokenKind::Name(name) if name == b"or" => (BinaryOperator::Or, 1, false),
            LuaTokenKind::Name(name) if name == b"and" => (BinaryOperator::And, 2, false),
            LuaTokenKind::Sign("<") => (BinaryOperator::Less, 3, false),
            LuaTokenKind::Sign(">") => (BinaryOperator::Greater, 3, false),
            LuaTokenKind::Sign("<=") => (BinaryOperator::LessOrEqual, 3, false),
            LuaTokenKind::Sign(">=") => (BinaryOperator::GreaterOrEqual, 3, false),
            LuaTokenKind::Sign("~=") => (BinaryOperator::NotEqual, 3, false),
            LuaTokenKind::Sign("==") => (BinaryOperator::Equal, 3, false),
            LuaTokenKind::Sign("..") => (BinaryOperator::Join, 4, true),
            LuaTokenKind::Sign("+") => (BinaryOperator::Add, 5, false),
            LuaTokenKind::Sign("-") => (BinaryOperator::Subtract, 5, false),
            LuaTokenKind::Sign("*") => (BinaryOperator::Multiply, 6, false),
            LuaTokenKind::Sign("/") => (BinaryOperator::Divide, 6, false),
            LuaTokenKind::Sign("%") => (BinaryOperator::Modulo, 6, false),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Option<Expression> {
        let operator = match self.peek()? {
            LuaTokenKind::Name(name) if name == b"not" => UnaryOperator::Not,
            LuaTokenKind::Sign("-") => UnaryOperator::Minus,
            LuaTokenKind::Sign("#") => UnaryOperator::Length,
            _ => return self.suffixed(),
        };
        let line = self.line();
        self.at += 1;
        self.count()?;
        let begin = self.at;
        let globals = [("KEYS", Expression::KeyCount), ("ARGV", Expression::ArgumentCount)];
        for (name, count) in globals {
            let is_global = operator == UnaryOperator::Length && self.place_of(name.as_bytes()).is_none();
            if is_global && self.take_word(name).is_some() && !self.is_sign("[") {
                return Some(count);
            }
            self.at = begin;
        }
        let operand = self.nested(Parser::unary)?;
        Some(Expression::Unary(operator, Box::new(operand), line))
    }

    /// A value, and the suffixes after it.
    fn suffixed(&mut self) -> Option<Expression> {
        self.count()?;
        let mut value = self.primary()?;
        loop {
            self.count()?;
            let field = if self.take_sign("[").is_some() {
                let index = self.expression()?;
                self.take_sign("]")?;
                index
            } else if self.take_sign(".").is_some() {
                Expression::Text(self.take_name()?)
            } else {
                return Some(value);
            };
            value = Expression::Field(Box::new(value), Box::new(field));
        }
    }

    fn primary(&mut self) -> Option<Expression> {
        let line = self.line();
        if self.take_sign("(").is_some() {
            let inner = self.expression()?;
            self.take_sign(")")?;
            return Some(inner);
        }
        if self.take_sign("{").is_some() {
            return self.list();
        }
        let literal = match self.peek()? {
            LuaTokenKind::Number(number) => Some(Expression::Number(*number)),
            LuaTokenKind::Text(text) => Some(Expression::Text(text.clone())),
            LuaTokenKind::Name(name) if name == b"nil" => Some(Expression::Nil),
            LuaTokenKind::Name(name) if name == b"true" => Some(Expression::Bool(true)),
            LuaTokenKind::Name(name) if name == b"false" => Some(Expression::Bool(false)),
            _ => None,
        };
        if literal.is_some() {
            self.at += 1;
            return literal;
        }
        let name = self.take_name()?;
        if let Some(place) = self.place_of(&name) {
            return Some(Expression::Local(place));
        }
        let function = match name.as_slice() {
            b"KEYS" | b"ARGV" => {
                self.take_sign("[")?;
                let index = Box::new(self.expression()?);
                self.take_sign("]")?;
                return Some(if name == b"KEYS" { Expression::Key(index) } else { Expression::Argument(index) });
            }
            b"tonumber" => Function::ToNumber,
            b"tostring" => Function::ToString,
            b"type" => Function::Type,
            b"math" => self.member(&[("floor", Function::Floor)])?,
            b"redis" | b"server" => self.member(&[
                ("call", Function::RedisCall),
                ("pcall", Function::RedisPcall),
                ("replicate_commands", Function::ReplicateCommands),
                ("status_reply", Function::StatusReply),
                ("error_reply", Function::ErrorReply),
            ])?,
            _ => return None,
        };
        self.take_sign("(")?;
        let mut arguments = Vec::new();
        if self.take_sign(")").is_none() {
            loop {
                arguments.push(self.expression()?);
                if self.take_sign(",").is_none() {
                    break;
                }
            }
            self.take_sign(")")?;
        }
        Some(Expression::Call(function, arguments, line))
    }

    fn member(&mut self, functions: &[(&str, Function)]) -> Option<Function> {
        self.take_sign(".")?;
        let name = self.take_name()?;
        functions.iter().find(|(member, _)| member.as_bytes() == name).map(|(_, function)| *function)
    }

    /// Elements one after the other, or one that is named `ok` or `err`.
    fn list(&mut self) -> Option<Expression> {
        let begin = self.at;
        if let Some(name) = self.take_name() {
            if matches!(name.as_slice(), b"ok" | b"err") && self.take_sign("=").is_some() {
                let value = self.expression()?;
                self.take_sign("}")?;
                return Some(Expression::Named(name == b"ok", Box::new(value)));
            }
        }
        self.at = begin;
        let mut elements = Vec::new();
        while self.take_sign("}").is_none() {
            elements.push(self.expression()?);
            if self.take_sign(",").or_else(|| self.take_sign(";")).is_none() {
                self.take_sign("}")?;
                break;
            }
        }
        Some(Expression::List(elements))
    }
}
