//! The load history of an elastic contact under any sequence of loads, as a cone against a polyline (Jaeger 1993).
//!
//! A contact of overlap z reaches out to the radius sqrt(R_eff z). The ring that came into contact at overlap z carries the
//! elastic shear s_n - s(z), where s(z) is a polyline of vertices V_k = (z_k, s_k), V_0 = (0, 0), z_n = the overlap. With p = z^(3/2)
//! the friction force is
//!
//!   Q = (4/3) G* sqrt(R_eff) q,    q = sum_k (p_k - p_{k-1}) (s_k - s_{k-1})/(z_k - z_{k-1})              (THEORY.md eq. 3.29)
//!
//! Coulomb's law in every ring is |s_k - s_{k-1}| <= m (z_k - z_{k-1}), m = mu kappa, so always |q| <= m p: |Q| <= mu P. A new apex
//! V' = (z', s_n + ds) cuts off what violates it: V' sees down a cone of slope m, and the polyline ends where it enters that cone.
//!
//!   1. the apex lies in the cone: all sticks; V' is appended, or merged where the slope hardly changes;
//!   2. a deeper vertex does: the outer rings slip; the segment above it is cut where it leaves the cone;
//!   3. none does: all slips; what is left is V' at the edge of the cone over V_0.
//!
//! V_0 stays the origin: gross slip sets s' = m z' w/|w|, so numbers never grow. Removing a vertex keeps the inequality (triangle
//! inequality), so |Q| <= mu P survives any pruning. Does not do: turn, know forces or moduli (`mindlin.rs`).

use glam::DVec2;

/// Two slopes that differ by less than this share of m are one segment.
const MERGE: f64 = 1e-2;

/// Segments shorter than this share of the overlap are rounding, not history: a cut there would divide by zero.
const SHORTEST: f64 = 1e-13;

/// Numbers of a vertex in memory.
pub const VERTEX: usize = 6;

/// A vertex, with the sums up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Overlap (m) at which its ring came into contact.
    pub z: f64,
    /// Displacement (m) in the frame of the contact.
    pub s: DVec2,
    /// z^(3/2).
    pub p: f64,
    /// The sum q up to here.
    pub q: DVec2,
}

impl Vertex {
    /// A vertex whose segment begins at `below`.
    #[inline(always)]
    fn after(below: &Vertex, z: f64, s: DVec2, p: f64) -> Self {
        Vertex { z, s, p, q: below.q + (s - below.s) * ((p - below.p) / (z - below.z)) }
    }

    /// Whether the cone of (z, s) contains it.
    #[inline(always)]
    fn within(&self, z: f64, s: DVec2, m: f64) -> bool {
        let e = z - self.z;
        e >= 0.0 && (s - self.s).length_squared() <= m * m * e * e
    }

    /// From six numbers.
    #[inline(always)]
    pub fn load(number: impl Fn(usize) -> f64) -> Self {
        Vertex { z: number(0), s: DVec2::new(number(1), number(2)), p: number(3), q: DVec2::new(number(4), number(5)) }
    }

    /// As six numbers.
    #[inline(always)]
    pub fn numbers(&self) -> [f64; VERTEX] {
        [self.z, self.s.x, self.s.y, self.p, self.q.x, self.q.y]
    }

    /// With the second coordinate turned about.
    pub fn mirrored(&self) -> Self {
        let turn = DVec2::new(1.0, -1.0);
        Vertex { s: self.s * turn, q: self.q * turn, ..*self }
    }
}

/// The polyline of a contact: its apex, and in a slice the vertices below it.
pub struct Polyline<'a> {
    /// V_n.
    pub apex: Vertex,
    /// n: vertices without V_0; zero for a contact that has just begun.
    pub count: usize,
    /// V_1 to V_{n-1}, and room for one more than may be left after a step.
    pub below: &'a mut [f64],
}

impl Polyline<'_> {
    /// V_k with 0 <= k < n.
    #[inline(always)]
    fn vertex(&self, k: usize) -> Vertex {
        match k.checked_sub(1).and_then(|k| self.below.get(k * VERTEX..(k + 1) * VERTEX)) {
            Some(numbers) => Vertex::load(|i| numbers[i]),
            None => Vertex::default(),
        }
    }

    #[inline(always)]
    fn set_vertex(&mut self, k: usize, vertex: &Vertex) {
        if let Some(numbers) = self.below.get_mut((k - 1) * VERTEX..k * VERTEX) {
            numbers.copy_from_slice(&vertex.numbers());
        }
    }

    /// How many vertices may be left after a step.
    fn capacity(&self) -> usize {
        self.below.len() / VERTEX
    }

    /// Moves the apex by `ds` to the overlap `z` > 0, with the slope m of the cone; returns whether all slips.
    pub fn advance(&mut self, z: f64, ds: DVec2, m: f64) -> bool {
        let p = z * z.sqrt();
        if self.count == 0 {
            return self.begin(z, ds, p, m);
        }
        let s = self.apex.s + ds;
        if self.apex.within(z, s, m) {
            self.append(z, s, p, m);
            return false;
        }
        let mut above = self.apex;
        for k in (0..self.count).rev() {
            let vertex = self.vertex(k);
            if vertex.within(z, s, m) {
                self.cut(k, &vertex, &above, Vertex { z, s, p, q: DVec2::ZERO }, m);
                return false;
            }
            above = vertex;
        }
        self.slip(z, s, p, m);
        true
    }

    /// A contact that has just begun.
    fn begin(&mut self, z: f64, ds: DVec2, p: f64, m: f64) -> bool {
        self.count = 1;
        let slips = !Vertex::default().within(z, ds, m);
        if slips {
            self.slip(z, ds, p, m);
        } else {
            self.apex = Vertex::after(&Vertex::default(), z, ds, p);
        }
        slips
    }

    /// All slips, in the direction of s.
    fn slip(&mut self, z: f64, s: DVec2, p: f64, m: f64) {
        let direction = s / s.length();
        self.apex = Vertex { z, s: direction * (m * z), p, q: direction * (m * p) };
        self.count = 1;
    }

    /// All sticks.
    fn append(&mut self, z: f64, s: DVec2, p: f64, m: f64) {
        let below = self.vertex(self.count - 1);
        let (e, h) = (z - self.apex.z, self.apex.z - below.z);
        if e == 0.0 {
            // Nothing has moved.
            return;
        }
        let (now, last) = (s - self.apex.s, self.apex.s - below.s);
        let same = MERGE * m * e * h;
        if e <= SHORTEST * z || (now * h - last * e).length_squared() < same * same {
            self.apex = Vertex::after(&below, z, s, p);
            return;
        }
        let old = self.apex;
        self.set_vertex(self.count, &old);
        self.count += 1;
        self.apex = Vertex::after(&old, z, s, p);
        self.prune();
    }

    /// Partial slip: the polyline ends between V_k, which the cone contains, and `above`, which it does not.
    #[inline(always)]
    fn cut(&mut self, k: usize, below: &Vertex, above: &Vertex, to: Vertex, m: f64) {
        let (d, e) = (to.s - below.s, to.z - below.z);
        let (b, h) = (above.s - below.s, above.z - below.z);
        // |d - t b| = m (e - t h): a t^2 + 2 c t + f = 0, of which the smaller root above 0.
        let m2 = m * m;
        let a = (b.length_squared() - m2 * h * h).min(0.0);
        let c = m2 * e * h - d.dot(b);
        let f = (d.length_squared() - m2 * e * e).min(0.0);
        let sum = c + (c * c - a * f).max(0.0).sqrt();
        let t = if sum > 0.0 { (-f / sum).min(1.0) } else { 0.0 };
        let z = below.z + t * h;
        let shortest = SHORTEST * to.z;
        if t * h > shortest && to.z - z > shortest {
            let cut = Vertex::after(below, z, below.s + b * t, z * z.sqrt());
            self.set_vertex(k + 1, &cut);
            self.count = k + 2;
            self.apex = Vertex::after(&cut, to.z, to.s, to.p);
            self.prune();
        } else if e > shortest || k == 0 {
            self.count = k + 1;
            self.apex = Vertex::after(below, to.z, to.s, to.p);
        } else {
            self.count = k;
            self.apex = Vertex::after(&self.vertex(k - 1), to.z, to.s, to.p);
        }
    }

    /// Where there is one vertex too many, removes the one that lies nearest to the chord of its neighbours.
    #[inline(always)]
    fn prune(&mut self) {
        if self.count > self.capacity() {
            self.remove_flattest();
        }
    }

    #[inline(never)]
    fn remove_flattest(&mut self) {
        let (mut flattest, mut least) = (1, f64::INFINITY);
        let (mut before, mut here) = (Vertex::default(), self.vertex(1));
        for k in 1..self.count {
            let next = if k + 1 == self.count { self.apex } else { self.vertex(k + 1) };
            let (h0, h1) = (here.z - before.z, next.z - here.z);
            // Half the slopes' jump times the harmonic mean of the lengths: the distance from the chord.
            let off = ((next.s - here.s) * h0 - (here.s - before.s) * h1).length_squared() / ((h0 + h1) * (h0 + h1));
            if off < least {
                (flattest, least) = (k, off);
            }
            (before, here) = (here, next);
        }
        self.remove(flattest);
    }

    /// Removes V_k, 0 < k < n.
    fn remove(&mut self, k: usize) {
        let below = self.vertex(k - 1);
        let above = if k + 1 == self.count { self.apex } else { self.vertex(k + 1) };
        let change = Vertex::after(&below, above.z, above.s, above.p).q - above.q;
        for j in k + 1..self.count {
            let vertex = self.vertex(j);
            self.set_vertex(j - 1, &Vertex { q: vertex.q + change, ..vertex });
        }
        self.apex.q += change;
        self.count -= 1;
    }

    /// Elastic energy over (4/3) G* sqrt(R_eff): of rings as springs of the stiffness d2p/dz2 stretched by s_n - s(z)
    /// (THEORY.md eq. 3.30).
    pub fn stored(&self) -> f64 {
        let mut below = Vertex::default();
        let mut sum = 0.0;
        for k in 1..=self.count {
            let vertex = if k == self.count { self.apex } else { self.vertex(k) };
            let slope = (vertex.s - below.s) / (vertex.z - below.z);
            let stretched = (self.apex.s - vertex.s) * vertex.p - (self.apex.s - below.s) * below.p;
            sum += slope.dot(stretched) + 0.4 * slope.length_squared() * (vertex.p * vertex.z - below.p * below.z);
            below = vertex;
        }
        sum
    }
}
