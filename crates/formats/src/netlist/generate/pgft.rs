//! The shape PGFT(h; m1,…,mh; w1,…,wh; p1,…,ph) (Zahavi 2010; section II of the paper).
//!
//! Level 0 is the end nodes, level h the top. An element of level i-1 has `w_i` parents, an
//! element of level i has `m_i` children, and `p_i` parallel links join each such pair. An element
//! of level l is named by h digits, digit i below `w_i` if i <= l and below `m_i` if not; two
//! elements of levels i-1 and i are joined if their digits agree in all places but the i-th.

use dmodc_fabric::Lid;
use std::fmt;
use std::str::FromStr;

const MAX_LEVELS: usize = 6;

/// A checked shape: it can be built, and fits into the LID space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pgft {
    pub(super) m: Vec<usize>,
    pub(super) w: Vec<usize>,
    pub(super) p: Vec<usize>,
}

/// The reason why a shape cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ShapeError {
    #[error("'{0}' is not of the form PGFT(h; m1,..,mh; w1,..,wh; p1,..,ph)")]
    Form(String),
    #[error("'{0}' is not a number")]
    Number(String),
    #[error("{0} levels: h must be 1 to {MAX_LEVELS}")]
    Levels(usize),
    #[error("{list} has {given} numbers, but h is {wanted}")]
    Count {
        list: char,
        given: usize,
        wanted: usize,
    },
    #[error("{0} holds a zero")]
    Zero(char),
    #[error("elements of level {level} would need {ports} ports; InfiniBand allows 254")]
    Ports { level: usize, ports: usize },
    #[error("the fabric would need {0} LIDs; InfiniBand has 49151")]
    TooLarge(usize),
}

impl Pgft {
    /// Checks a shape; the number of levels is the length of the lists.
    pub fn new(m: Vec<usize>, w: Vec<usize>, p: Vec<usize>) -> Result<Pgft, ShapeError> {
        Pgft::checked(m.len(), m, w, p)
    }

    fn checked(h: usize, m: Vec<usize>, w: Vec<usize>, p: Vec<usize>) -> Result<Pgft, ShapeError> {
        if !(1..=MAX_LEVELS).contains(&h) {
            return Err(ShapeError::Levels(h));
        }
        for (list, name) in [(&m, 'm'), (&w, 'w'), (&p, 'p')] {
            if list.len() != h {
                return Err(ShapeError::Count {
                    list: name,
                    given: list.len(),
                    wanted: h,
                });
            }
            if list.contains(&0) {
                return Err(ShapeError::Zero(name));
            }
        }
        let shape = Pgft { m, w, p };
        for level in 0..=h {
            let (down, up) = (shape.down_ports(level), shape.up_ports(level));
            let ports = down.saturating_add(up);
            if ports > 254 {
                return Err(ShapeError::Ports { level, ports });
            }
        }
        let switches = (1..=h).map(|level| shape.elements(level));
        let nodes = shape.elements(0).saturating_mul(shape.up_ports(0));
        let lids = switches.fold(nodes, usize::saturating_add);
        if lids > Lid::UNICAST_MAX.index() {
            return Err(ShapeError::TooLarge(lids));
        }
        Ok(shape)
    }

    /// Number of switch levels, h.
    pub fn levels(&self) -> usize {
        self.m.len()
    }

    /// Children of an element of level `level` (1 to h).
    pub fn children(&self, level: usize) -> usize {
        self.m[level - 1]
    }

    /// Parents of an element of level `level` - 1.
    pub fn parents(&self, level: usize) -> usize {
        self.w[level - 1]
    }

    /// Number of elements of a level: w1 to wl times m(l+1) to mh.
    pub fn elements(&self, level: usize) -> usize {
        let factors = self.w[..level].iter().chain(&self.m[level..]);
        factors.fold(1, |n, &f| n.saturating_mul(f))
    }

    /// Number of switches.
    pub fn switches(&self) -> usize {
        (1..=self.levels()).map(|level| self.elements(level)).sum()
    }

    /// Ports of an element that lead down.
    pub fn down_ports(&self, level: usize) -> usize {
        match level {
            0 => 0,
            _ => self.m[level - 1].saturating_mul(self.p[level - 1]),
        }
    }

    /// Ports of an element that lead up.
    pub fn up_ports(&self, level: usize) -> usize {
        match level == self.levels() {
            true => 0,
            false => self.w[level].saturating_mul(self.p[level]),
        }
    }
}

impl FromStr for Pgft {
    type Err = ShapeError;

    /// Parses `PGFT(3;24,15,24;1,6,15;1,1,1)`; also with the paper's full stops for commas.
    fn from_str(text: &str) -> Result<Pgft, ShapeError> {
        let form = || ShapeError::Form(text.into());
        let word = text.trim();
        let inner = match word.get(..4) {
            Some(name) if name.eq_ignore_ascii_case("pgft") => word[4..].trim(),
            _ => return Err(form()),
        };
        let inner = inner.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
        let lists = inner.ok_or_else(form)?.split(';').map(numbers);
        let lists = lists.collect::<Result<Vec<_>, _>>()?;
        let Ok([h, m, w, p]) = <[Vec<usize>; 4]>::try_from(lists) else {
            return Err(form());
        };
        let [h] = h[..] else { return Err(form()) };
        Pgft::checked(h, m, w, p)
    }
}

fn numbers(list: &str) -> Result<Vec<usize>, ShapeError> {
    let number = |s: &str| s.parse().map_err(|_| ShapeError::Number(s.into()));
    let words = list.split([',', '.']).map(str::trim);
    words.map(number).collect()
}

impl fmt::Display for Pgft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |l: &[usize]| l.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let (m, w, p) = (list(&self.m), list(&self.w), list(&self.p));
        write!(f, "PGFT({};{m};{w};{p})", self.levels())
    }
}
