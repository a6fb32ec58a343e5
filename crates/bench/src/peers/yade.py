# Steps a packing in YADE as it is told on standard input; answers go to files, as lines of numbers.
# Arguments: centres, all | slide, half the width of the cube, what bounds are enlarged by, step, local damping, steps of
# the warm-up, file for the version.
import math
import os
import sys
import time

import yade.config
from yade import *

centres, friction, half, skin, step, damping, warm_up, log = sys.argv[1:9]
half, moments = float(half), friction == "all"
with open(log, "w") as out:
    out.write("YADE " + yade.config.version + "\n")


def answer(name, *numbers):
    # Under another name first, so that nobody reads half a line.
    with open(name + ".part", "w") as out:
        out.write(" ".join(repr(float(number)) for number in numbers) + "\n")
    os.rename(name + ".part", name)


# k_n = E R = 1 with two radii of 1/2; k_s = poisson k_n; k_roll = alphaKr k_s R^2.
O.materials.append(
    CohFrictMat(young=2.0, poisson=1.0, density=6 / math.pi, frictionAngle=math.atan(1.0), alphaKr=1.0, alphaKtw=1.0,
                etaRoll=1.0, etaTwist=1.0, momentRotationLaw=moments, isCohesive=False, label="grain"))
with open(centres) as rows:
    O.bodies.append([utils.sphere([float(x) for x in row.split()], 0.5, material="grain") for row in rows])
spheres = len(O.bodies)
O.bodies.append(aabbWalls([(-half, -half, -half), (half, half, half)], thickness=0.0, oversizeFactor=1.0, material="grain"))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Box_Aabb()], verletDist=float(skin)),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom6D(), Ig2_Box_Sphere_ScGeom6D()],
        [Ip2_CohFrictMat_CohFrictMat_CohFrictPhys()],
        [Law2_ScGeom6D_CohFrictPhys_CohesionMoment(always_use_moment_law=moments, useIncrementalForm=True)]),
    NewtonIntegrator(damping=float(damping)),
]
O.dt = float(step)
while True:
    words = sys.stdin.readline().split()
    if not words:
        break
    if words[0] == "start":
        O.run(int(warm_up), True)
        answer(words[1], 0)
    elif words[0] == "run":
        before = time.process_time()
        O.run(int(words[1]), True)
        answer(words[2], time.process_time() - before)
    elif words[0] == "count":
        kinetic = sum(0.5 * body.state.mass * body.state.vel.squaredNorm() for body in O.bodies if body.dynamic)
        answer(words[1], O.interactions.countReal(), len(O.interactions), kinetic)
