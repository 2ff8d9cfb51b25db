//! Announced services: a reader is told what a living process wrote, whole.
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
