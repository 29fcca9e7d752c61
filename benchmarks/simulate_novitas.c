/* Novitas with coverage and wounds, by hand: magic armor 4, physical armor 4 on torso and arms, natural armor 2, body 4;
   1d4 to the torso (6), to a leg (3), piercing to an arm (1); down with a torso wound. */
#include <stdint.h>

#define GOLDEN 0x9E3779B97F4A7C15ull

static inline uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

void novitas(uint64_t seed, int64_t first, int64_t trials, int64_t most, const int64_t *bounds, int64_t *tally,
             int64_t *sums) {
    int64_t lost[4] = {0, 0, 0, 0};
    for (int64_t trial = first; trial < first + trials; trial++) {
        uint64_t word = mixed(mixed(seed) + (uint64_t)trial * GOLDEN);
        int64_t magic = 4, physical = 4, natural = 2, body = 4, blows = 0, torso = 0, leg = 0, arm = 0;
        while (blows < most) {
            blows++;
            word += GOLDEN;
            uint64_t z = mixed(word);
            int64_t chance = (int64_t)(z >> 32);
            int64_t damage = 1 + (int64_t)(((z & 0xFFFFFFFFull) * 4) >> 32), off;
            if (chance < bounds[0]) {
                off = least(damage, magic), magic -= off, damage -= off;
                off = least(damage, physical), physical -= off, damage -= off;
                off = least(damage, natural), natural -= off, damage -= off;
                off = least(damage, body), body -= off, damage -= off;
                torso |= damage > 0;
            } else if (chance < bounds[1]) {
                off = least(damage, magic), magic -= off, damage -= off;
                off = least(damage, natural), natural -= off, damage -= off;
                off = least(damage, body), body -= off, damage -= off;
                torso |= leg & (damage > 0);
                leg |= damage > 0;
            } else {
                off = least(damage, body), body -= off, damage -= off;
                torso |= arm & (damage > 0);
                arm |= damage > 0;
            }
            if (torso) {
                tally[blows]++;
                break;
            }
        }
        lost[0] += 4 - magic, lost[1] += 4 - physical, lost[2] += 2 - natural, lost[3] += 4 - body;
    }
    for (int i = 0; i < 4; i++) sums[i] += lost[i];
}
