/* Pokrovy with reduction, resistance and wards, by hand: wards 20, vyn 40, 3 off fire, half of slashing;
   2d6 fire and 1d8 slashing (2), 3d6 cold (1). */
#include <stdint.h>

#define GOLDEN 0x9E3779B97F4A7C15ull
#define HALF 0xFFFFFFFFull

static inline uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

void pokrovy(uint64_t seed, int64_t first, int64_t trials, int64_t most, const int64_t *bounds, int64_t *tally,
             int64_t *sums) {
    int64_t wards_lost = 0, vyn_lost = 0;
    for (int64_t trial = first; trial < first + trials; trial++) {
        uint64_t word = mixed(mixed(seed) + (uint64_t)trial * GOLDEN);
        int64_t wards = 20, vyn = 40, blows = 0;
        while (blows < most) {
            blows++;
            word += GOLDEN;
            uint64_t z = mixed(word), rest;
            int64_t off;
            if ((int64_t)(z >> 32) < bounds[0]) {
                rest = (z & HALF) * 6;
                int64_t fire = 2 + (int64_t)(rest >> 32);
                rest = (rest & HALF) * 6, fire += (int64_t)(rest >> 32);
                rest = (rest & HALF) * 8;
                int64_t slashing = 1 + (int64_t)(rest >> 32);
                off = least(fire, wards), wards -= off, fire -= off;
                off = least(slashing, wards), wards -= off, slashing -= off;
                fire -= least(fire, 3), slashing /= 2;
                vyn -= least(fire + slashing, vyn);
            } else {
                rest = (z & HALF) * 6;
                int64_t cold = 3 + (int64_t)(rest >> 32);
                rest = (rest & HALF) * 6, cold += (int64_t)(rest >> 32);
                rest = (rest & HALF) * 6, cold += (int64_t)(rest >> 32);
                off = least(cold, wards), wards -= off, cold -= off;
                vyn -= least(cold, vyn);
            }
            if (vyn == 0) {
                tally[blows]++;
                break;
            }
        }
        wards_lost += 20 - wards, vyn_lost += 40 - vyn;
    }
    sums[0] += wards_lost, sums[1] += vyn_lost;
}
