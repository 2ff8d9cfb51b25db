//! Announced services: a reader gets a living process's text, complete.
use super::lock::with_a_dead_ones_slot;
use super::world::{explore, Grain};

#[test]
fn an_announcement_is_read_whole() {
    explore("service: announce", Grain::Header, |world| {
        let [server, reader] = [2, 3].map(|pid| world.registered(pid));
        let (first, second) = ("a".repeat(16), "b".repeat(16));
        let kept = std::sync::Mutex::new(None);
        world.run([
            Box::new(|| {
                drop(server.announce(&first));
                *kept.lock().expect("no panic") = server.announce(&second).ok();
            }),
            Box::new(|| {
                for service in reader.services() {
                    assert!(service.text == first || service.text == second, "torn: {}", service.text);
                }
            }),
        ]);
        assert_eq!(reader.services().len(), 1);
    });
}

/// A process in the slot of one that has ended, whose pid /proc still shows as ending, announces.
#[test]
fn nobody_takes_the_place_of_a_living_server() {
    explore("service: register and death", Grain::Header, |world| {
        let [registers, other, _] = with_a_dead_ones_slot(world);
        let kept = std::sync::Mutex::new(Vec::new());
        let announce = |arena: &crate::Arena, text: &str| {
            let announced = arena.announce(text).expect("there are slots enough");
            kept.lock().expect("no panic").push(announced);
        };
        world.run([Box::new(|| announce(&registers, "one")), Box::new(|| announce(&other, "two"))]);
        assert_eq!(other.services().len(), 2);
    });
}
