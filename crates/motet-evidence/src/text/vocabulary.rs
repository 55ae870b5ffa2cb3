//! Words of one text as small numbers, so that a page of thousands of words is compared without comparing strings.
//! A table of our own, because its order must not depend on chance. Nothing is ever removed from it.

/// Every distinct word once, in the order of appearance.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// All words in one piece.
    text: String,
    ends: Vec<usize>,
    /// Number of a word plus one, at the place its hash says or after it; zero is free.
    slots: Vec<u32>,
}

impl Vocabulary {
    pub fn with_room_for(words: usize) -> Self {
        let slots = (words * 2).next_power_of_two().max(64);
        Self { text: String::new(), ends: Vec::new(), slots: vec![0; slots] }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn word(&self, number: u32) -> &str {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }

    pub fn words(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|number| self.word(number))
    }

    pub fn find(&self, word: &str) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash(word) & mask;
        while self.slots[slot] != 0 {
            let number = self.slots[slot] - 1;
            if self.word(number) == word {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// The number of a word, and whether it is new.
    pub fn insert(&mut self, word: &str) -> (u32, bool) {
        if let Some(number) = self.find(word) {
            return (number, false);
        }
        if (self.len() + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let number = self.len() as u32;
        self.text.push_str(word);
        self.ends.push(self.text.len());
        self.place(number);
        (number, true)
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 2).max(64)];
        for number in 0..self.len() as u32 {
            self.place(number);
        }
    }

    fn place(&mut self, number: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = hash(self.word(number)) & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = number + 1;
    }
}

/// FNV-1a: short, and good enough for words.
fn hash(word: &str) -> usize {
    let folded = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (folded ^ (folded >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_numbered_in_the_order_of_appearance_however_many_come() {
        let mut vocabulary = Vocabulary::default();
        let words: Vec<String> = (0..1000).map(|number| format!("word{number}")).collect();
        for (place, word) in words.iter().enumerate() {
            assert_eq!(vocabulary.insert(word), (place as u32, true));
        }
        assert_eq!(vocabulary.insert("word7"), (7, false));
        assert_eq!(vocabulary.word(999), "word999");
        assert_eq!(vocabulary.find("nothing"), None);
    }
}
