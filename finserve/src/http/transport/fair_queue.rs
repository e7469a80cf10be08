//! A queue in which callers take turns, so that none waits for another's pile of work: client addresses one after the other,
//! within an address its keys, and paid plans before Free.
use std::collections::VecDeque;

use fincore::{Caller, CallerId, Plan};

/// After so many in a row for paid plans, one for Free: a server that is busy with paying callers still answers the others.
const PAID_IN_A_ROW: u32 = 7;

/// In whose turn work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    address: CallerId,
    caller: CallerId,
    is_paid: bool,
}

impl Share {
    /// The turn of a caller at an address.
    pub(crate) fn of(caller: Caller, address: CallerId) -> Share {
        Share { address, caller: caller.id, is_paid: caller.plan != Plan::Free }
    }
}

/// Whether there was room for an item.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pushed<T> {
    Kept,
    /// This item does not wait any more: the new one, or one that made room for it.
    Refused(T),
}

/// Items of several callers, up to a number of them.
#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    paid: Addresses<T>,
    free: Addresses<T>,
    paid_in_a_row: u32,
    most: usize,
}

impl<T> FairQueue<T> {
    pub(crate) fn new(most: usize) -> FairQueue<T> {
        let (paid, free) = (Addresses::default(), Addresses::default());
        FairQueue { paid, free, paid_in_a_row: 0, most }
    }

    /// How many items wait.
    pub(crate) fn len(&self) -> usize {
        self.paid.count + self.free.count
    }

    /// Adds an item to the pile of its caller. Where the queue is full, the newest item of the address that has most of them
    /// leaves it: of one on Free, if there is one. An item of that very address, or of Free among paid ones, is refused.
    pub(crate) fn push(&mut self, share: Share, item: T) -> Pushed<T> {
        if self.len() < self.most {
            self.addresses(share.is_paid).push(share, item);
            return Pushed::Kept;
        }
        let displaces_free = share.is_paid && self.free.count > 0;
        let from = if displaces_free { &mut self.free } else { self.addresses(share.is_paid) };
        let largest = from.largest();
        let is_larger = largest.is_some_and(|(_, size)| size > from.size(share.address) + 1);
        match largest
            .filter(|_| displaces_free || is_larger)
            .and_then(|(at, _)| from.pop_newest(at))
        {
            Some(newest) => {
                self.addresses(share.is_paid).push(share, item);
                Pushed::Refused(newest)
            }
            None => Pushed::Refused(item),
        }
    }

    /// Takes out the item whose turn it is.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let is_turn_of_free = self.paid_in_a_row >= PAID_IN_A_ROW && self.free.count > 0;
        let paid = if is_turn_of_free { None } else { self.paid.pop() };
        self.paid_in_a_row = if paid.is_some() { self.paid_in_a_row.saturating_add(1) } else { 0 };
        paid.or_else(|| self.free.pop())
    }

    fn addresses(&mut self, is_paid: bool) -> &mut Addresses<T> {
        if is_paid { &mut self.paid } else { &mut self.free }
    }
}

/// The piles of one class, by address and then by caller; each time the first in the ring has its turn.
#[derive(Debug)]
struct Addresses<T> {
    ring: VecDeque<Address<T>>,
    count: usize,
}

#[derive(Debug)]
struct Address<T> {
    id: CallerId,
    callers: VecDeque<(CallerId, VecDeque<T>)>,
    count: usize,
}

impl<T> Default for Addresses<T> {
    fn default() -> Addresses<T> {
        Addresses { ring: VecDeque::new(), count: 0 }
    }
}

impl<T> Addresses<T> {
    /// There are never more addresses than items, so that looking through them all is quick.
    fn push(&mut self, share: Share, item: T) {
        let known = self.ring.iter().position(|address| address.id == share.address);
        let at = known.unwrap_or_else(|| {
            let (id, callers) = (share.address, VecDeque::new());
            self.ring.push_back(Address { id, callers, count: 0 });
            self.ring.len() - 1
        });
        let address = &mut self.ring[at];
        match address.callers.iter_mut().find(|(caller, _)| *caller == share.caller) {
            Some((_, pile)) => pile.push_back(item),
            None => address.callers.push_back((share.caller, VecDeque::from([item]))),
        }
        address.count += 1;
        self.count += 1;
    }

    /// The oldest item of the caller whose turn it is at the address whose turn it is; both go to the end of their rings.
    fn pop(&mut self) -> Option<T> {
        let mut address = self.ring.pop_front()?;
        let (caller, mut pile) = address.callers.pop_front()?;
        let item = pile.pop_front();
        if !pile.is_empty() {
            address.callers.push_back((caller, pile));
        }
        address.count -= 1;
        self.count -= 1;
        if address.count > 0 {
            self.ring.push_back(address);
        }
        item
    }

    /// How many items wait at an address.
    fn size(&self, id: CallerId) -> usize {
        self.ring.iter().find(|address| address.id == id).map_or(0, |address| address.count)
    }

    /// The place in the ring of the address that has most items, and how many.
    fn largest(&self) -> Option<(usize, usize)> {
        let sizes = self.ring.iter().enumerate().map(|(at, address)| (at, address.count));
        sizes.max_by_key(|(_, size)| *size)
    }

    /// Takes the newest item out of the longest pile of an address.
    fn pop_newest(&mut self, at: usize) -> Option<T> {
        let address = self.ring.get_mut(at)?;
        let longest = address.callers.iter().enumerate().max_by_key(|(_, (_, pile))| pile.len());
        let caller = longest.map(|(caller, _)| caller)?;
        let item = address.callers[caller].1.pop_back();
        if address.callers[caller].1.is_empty() {
            address.callers.remove(caller);
        }
        address.count -= 1;
        self.count -= 1;
        if address.count == 0 {
            self.ring.remove(at);
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u8) -> CallerId {
        CallerId::address([192, 0, 2, number].into())
    }

    /// The share of a caller, which the number tells from others at the same address.
    fn key(number: u8, plan: Plan, at: u8) -> Share {
        let id = CallerId::address([198, 51, 100, number].into());
        Share::of(Caller { id, plan, key: None }, address(at))
    }

    /// All that is left in a queue, in order.
    fn all<T>(queue: &mut FairQueue<T>) -> Vec<T> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    fn filled<T: std::fmt::Debug + PartialEq>(
        items: impl IntoIterator<Item = (Share, T)>,
    ) -> FairQueue<T> {
        let mut queue = FairQueue::new(100);
        for (share, item) in items {
            assert_eq!(queue.push(share, item), Pushed::Kept);
        }
        queue
    }

    #[test]
    fn addresses_take_turns_and_keys_within_them() {
        let (one, two) = (key(1, Plan::Free, 1), key(2, Plan::Free, 1));
        let other = key(3, Plan::Free, 2);
        let items = [(one, "a1"), (one, "a2"), (one, "a3"), (two, "b1"), (other, "c1")];
        let mut queue = filled(items);
        assert_eq!(queue.len(), 5);
        assert_eq!(all(&mut queue), ["a1", "c1", "b1", "a2", "a3"]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn paid_plans_come_first_and_free_is_not_forgotten() {
        let (paid, free) = (key(1, Plan::Gold, 1), key(2, Plan::Free, 2));
        let items = (0..20).map(|at| (paid, at)).chain((100..103).map(|at| (free, at)));
        let order = all(&mut filled(items));
        let places: Vec<_> = (0..order.len()).filter(|at| order[*at] >= 100).collect();
        assert_eq!(places, [7, 15, 22]);
    }

    #[test]
    fn a_full_queue_makes_room_at_the_cost_of_the_longest_pile() {
        let (many, few, third) =
            (key(1, Plan::Free, 1), key(2, Plan::Free, 2), key(3, Plan::Gold, 3));
        let mut queue = FairQueue::new(4);
        for at in 0..4 {
            assert_eq!(queue.push(many, at), Pushed::Kept);
        }
        assert_eq!(queue.push(many, 4), Pushed::Refused(4), "its own pile is the longest");
        assert_eq!(queue.push(few, 10), Pushed::Refused(3));
        assert_eq!(queue.push(few, 11), Pushed::Refused(2));
        assert_eq!(queue.push(few, 12), Pushed::Refused(12), "both have as many");
        assert_eq!(queue.push(third, 20), Pushed::Refused(11), "paid plans displace Free");
        assert_eq!(queue.len(), 4);
        assert_eq!(all(&mut queue), [20, 0, 10, 1]);
    }

    #[test]
    fn free_displaces_no_paid_item() {
        let (paid, free) = (key(1, Plan::Bronze, 1), key(2, Plan::Free, 2));
        let mut queue = FairQueue::new(2);
        assert_eq!(queue.push(paid, 1), Pushed::Kept);
        assert_eq!(queue.push(paid, 2), Pushed::Kept);
        assert_eq!(queue.push(free, 3), Pushed::Refused(3));
        assert_eq!(all(&mut queue), [1, 2]);
    }

    #[test]
    fn nothing_is_lost_or_doubled_whatever_the_order() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut queue = FairQueue::new(16);
        let (mut inside, mut next) = (std::collections::BTreeSet::new(), 0);
        for _ in 0..20_000 {
            if random(3) > 0 {
                let plan = Plan::ALL[usize::try_from(random(4)).unwrap()];
                let number = u8::try_from(random(6)).unwrap();
                let share = key(number, plan, u8::try_from(random(4)).unwrap());
                inside.insert(next);
                if let Pushed::Refused(item) = queue.push(share, next) {
                    assert!(inside.remove(&item));
                }
                next += 1;
            } else if let Some(item) = queue.pop() {
                assert!(inside.remove(&item));
            }
            assert_eq!(queue.len(), inside.len());
            assert!(queue.len() <= 16);
        }
        let rest = all(&mut queue);
        assert_eq!(rest.len(), inside.len());
        assert!(rest.iter().all(|item| inside.contains(item)));
    }
}
