/* The 23-point battle, written by hand and unrolled: what the generated kernel is measured against.
   The same random numbers, the same answers: blows until down and the points that each layer lost. */
#include <stdint.h>

#define GOLDEN 0x9E3779B97F4A7C15ull

static inline uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

void battle(uint64_t seed, int64_t first, int64_t trials, int64_t most, const int64_t *bounds, int64_t *tally,
            int64_t *sums) {
    int64_t outer_lost = 0, middle_lost = 0, inner_lost = 0, body_lost = 0;
    for (int64_t trial = first; trial < first + trials; trial++) {
        uint64_t word = mixed(mixed(seed) + (uint64_t)trial * GOLDEN);
        int64_t outer = 4, middle = 6, inner = 3, body = 10, blows = 0;
        while (blows < most) {
            blows++;
            word += GOLDEN;
            uint64_t z = mixed(word);
            int64_t damage = 1 + (int64_t)(((z & 0xFFFFFFFFull) * 6) >> 32), off;
            if ((int64_t)(z >> 32) < bounds[0]) {
                off = least(damage, outer), outer -= off, damage -= off;
                off = least(damage, middle), middle -= off, damage -= off;
                off = least(damage, inner), inner -= off, damage -= off;
            }
            body -= least(damage, body);
            if (body == 0) {
                tally[blows]++;
                break;
            }
        }
        outer_lost += 4 - outer, middle_lost += 6 - middle, inner_lost += 3 - inner, body_lost += 10 - body;
    }
    sums[0] += outer_lost, sums[1] += middle_lost, sums[2] += inner_lost, sums[3] += body_lost;
}
