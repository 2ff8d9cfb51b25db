//! Answers over UDP: split, shuffled, doubled, mixed with what does not belong to them.
use crate::chance::Chance;
use leveret_protocol::udp::{self, Assembled, Reassembly};

pub fn round(chance: &mut Chance) {
    let (request_id, answer) = (chance.bits() as u16, chance.bytes(20_000));
    let mut datagrams: Vec<(bool, Vec<u8>)> = udp::split(request_id, &answer)
        .expect("far below 65535 datagrams")
        .map(|(header, payload)| (true, [header.as_slice(), payload].concat()))
        .collect();
    assert!(datagrams.iter().all(|(_, datagram)| datagram.len() <= udp::DATAGRAM_MAX));
    let count = datagrams.len();
    for _ in 0..chance.below(4) {
        let mut foreign = chance.bytes(40);
        if foreign.len() > 1 {
            foreign[..2].copy_from_slice(&request_id.wrapping_add(1).to_be_bytes());
        }
        datagrams.push((false, foreign));
    }
    for last in (1..datagrams.len()).rev() {
        datagrams.swap(last, chance.below(last + 1));
    }
    let mut whole = Reassembly::new(request_id, answer.len());
    let mut seen = 0;
    for (is_ours, datagram) in &datagrams {
        seen += usize::from(*is_ours);
        let want = match (is_ours, seen == count) {
            (false, _) => Assembled::Foreign,
            (true, false) => Assembled::Part,
            (true, true) => Assembled::Whole,
        };
        assert_eq!(whole.accept(datagram), want);
        assert_eq!(whole.accept(datagram), Assembled::Foreign, "the second time");
    }
    let finished = whole.finish();
    assert_eq!(finished, (count > 0).then_some(answer));

    // Whatever comes, and in whatever order, it stays within its bound.
    let mut hostile = Reassembly::new(0, 100);
    for _ in 0..chance.below(20) {
        let mut datagram = chance.bytes(60);
        for at in [0, 1, 2, 4] {
            datagram.get_mut(at).into_iter().for_each(|byte| *byte = 0);
        }
        if hostile.accept(&datagram) == Assembled::TooLarge {
            break;
        }
    }
    assert!(hostile.finish().is_none_or(|answer| answer.len() <= 100));
}
