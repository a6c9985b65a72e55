/* SPDX-License-Identifier: BSD-3-Clause */
/* trie: see trie.h. */
#include "core/trie.h"

#include "core/check.h"
#include "core/text.h"

#define WAYS       RCUINFO__FANOUT
#define WAY_BITS   4
#define MERGED     8 /* most items that two buckets are merged with */
#define LEVELS     8 /* of forks */
#define PATH_FORKS LEVELS

_Static_assert(WAYS == 16, "rcuinfo__text_hashes16 looks at a whole bucket");

/* Neighbouring places that hold one bucket, or nothing: of a fork, or the one place of the root. */
struct spot {
    struct rcuinfo__node **places;
    uint32_t start;
    uint32_t width;
    uint32_t level; /* of the fork, 1 and up; 0: the root's place */
};

/* The bits of a hash that a fork of this level, 1 and up, goes by. */
static uint32_t way(uint32_t hash, uint32_t level)
{
    return hash >> (32 - WAY_BITS * level) & (WAYS - 1);
}

struct rcuinfo__item *rcuinfo__trie_find(const struct rcuinfo__node *root, const char *key, size_t length,
                                         uint32_t hash)
{
    const struct rcuinfo__node *node = root;
    for (uint32_t bits = hash; node && node->kind == RCUINFO__NODE_FORK; bits <<= WAY_BITS)
        node = ((const struct rcuinfo__inner *)(const void *)node)->child[bits >> (32 - WAY_BITS)];
    const struct rcuinfo__bucket *bucket = (const struct rcuinfo__bucket *)(const void *)node;
    for (; bucket; bucket = bucket->next) {
        uint32_t found = rcuinfo__text_hashes16(bucket->hash, hash) & ((1U << bucket->node.n) - 1);
        for (; found; found &= found - 1) {
            struct rcuinfo__item *item = bucket->item[__builtin_ctz(found)];
            if (item->node.key_length == length && rcuinfo__text_equal(item->text, key, length))
                return item;
        }
    }
    return NULL;
}

static struct rcuinfo__node *at_spot(const struct spot *spot)
{
    return spot->places[spot->start];
}

static void fill(const struct spot *spot, struct rcuinfo__node *node)
{
    for (uint32_t i = 0; i < spot->width; i++)
        spot->places[spot->start + i] = node;
}

static bool uniform(const struct spot *spot)
{
    bool same = true;
    for (uint32_t i = 1; i < spot->width; i++)
        same = same && spot->places[spot->start + i] == at_spot(spot);
    return same;
}

/* The places around `place` of a fork that hold what it holds. */
static struct spot spot_around(struct rcuinfo__node *fork, uint32_t level, uint32_t place)
{
    struct spot spot = {rcuinfo__node_inner(fork)->child, place, 1, level};
    while (spot.width < WAYS) {
        struct spot wider = spot;
        wider.width = 2 * spot.width;
        wider.start &= ~(wider.width - 1);
        if (!uniform(&wider))
            break;
        spot = wider;
    }
    return spot;
}

/* What has the bits of a hash: a bucket or nothing. With a build, the forks on the way become its own, and `path`, if
 * any, gets the spots that these stand at. */
static struct spot descend(struct rcuinfo__build *build, struct rcuinfo__node **root, uint32_t hash, struct spot *path)
{
    struct spot spot = {root, 0, 1, 0};
    struct rcuinfo__node *node = *root;
    while (node && node->kind == RCUINFO__NODE_FORK) {
        if (path)
            path[spot.level] = spot;
        if (build)
            node = rcuinfo__build_own(build, &spot.places[spot.start]);
        uint32_t level = spot.level + 1;
        uint32_t place = way(hash, level);
        struct rcuinfo__node *next = rcuinfo__node_inner(node)->child[place];
        spot = next && next->kind == RCUINFO__NODE_FORK
                   ? (struct spot){rcuinfo__node_inner(node)->child, place, 1, level}
                   : spot_around(node, level, place);
        node = next;
    }
    return spot;
}

static void add_need(struct rcuinfo__need *need, uint32_t forks, uint32_t buckets)
{
    rcuinfo__need_add(need, sizeof(struct rcuinfo__inner), forks);
    rcuinfo__need_add(need, sizeof(struct rcuinfo__bucket), buckets);
}

/* The bits in which the hashes of a bucket and another differ. */
static uint32_t differing(const struct rcuinfo__bucket *bucket, uint32_t hash)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < bucket->node.n; i++)
        bits |= bucket->hash[i] ^ hash;
    return bits;
}

/* Whether one more item of this hash goes into the bucket. */
static bool has_room(const struct rcuinfo__bucket *bucket, uint32_t hash)
{
    return bucket->node.n < RCUINFO__FANOUT && (!bucket->next || bucket->hash[0] == hash);
}

/* Level of the fork whose bits tell hashes apart. */
static uint32_t level_of(uint32_t bits)
{
    return (uint32_t)__builtin_clz(bits) / WAY_BITS + 1;
}

void rcuinfo__trie_need_add(struct rcuinfo__node *root, uint32_t hash, struct rcuinfo__need *need)
{
    struct spot spot = descend(NULL, &root, hash, NULL);
    const struct rcuinfo__bucket *bucket = at_spot(&spot) ? rcuinfo__node_bucket(at_spot(&spot)) : NULL;
    uint32_t bits = bucket && !has_room(bucket, hash) ? differing(bucket, hash) : 0;
    add_need(need, bits ? level_of(bits) : spot.level, bits ? 2 : 1);
    need->replaced += spot.level + 1;
}

static void bucket_add(struct rcuinfo__bucket *bucket, uint32_t hash, struct rcuinfo__item *item)
{
    bucket->hash[bucket->node.n] = hash;
    bucket->item[bucket->node.n] = item;
    bucket->node.n++;
}

static struct rcuinfo__bucket *new_bucket(struct rcuinfo__build *build, struct rcuinfo__bucket *next)
{
    struct rcuinfo__bucket *bucket = rcuinfo__node_bucket(rcuinfo__build_node(build, RCUINFO__NODE_BUCKET));
    bucket->next = next;
    return bucket;
}

/* Puts a bucket's items and another into two, by the bit `one`; where all of the bucket have it alike, they stay. */
static void halve(struct rcuinfo__build *build, struct rcuinfo__bucket *full, struct rcuinfo__item *item, uint32_t one,
                  struct rcuinfo__bucket *halves[2])
{
    bool apart = !(differing(full, full->hash[0]) & one);
    uint32_t side = (item->hash & one) != 0;
    halves[side] = new_bucket(build, NULL);
    halves[!side] = apart ? full : new_bucket(build, NULL);
    for (uint32_t i = 0; !apart && i < full->node.n; i++)
        bucket_add(halves[(full->hash[i] & one) != 0], full->hash[i], full->item[i]);
    bucket_add(halves[side], item->hash, item);
    if (!apart)
        rcuinfo__build_retire(build, &full->node);
}

/* `bits`, not 0, are those in which the bucket's hashes and the item's differ. */
static void split(struct rcuinfo__build *build, struct spot spot, struct rcuinfo__item *item, uint32_t bits)
{
    struct rcuinfo__bucket *full = rcuinfo__node_bucket(at_spot(&spot));
    uint32_t level = level_of(bits);
    uint32_t bit = (uint32_t)__builtin_clz(bits) % WAY_BITS; /* of the way: 0 is the highest */
    fill(&spot, NULL);
    if (spot.level && spot.level < level) /* the hashes are told apart below one place of the spot only */
        spot = (struct spot){spot.places, way(item->hash, spot.level), 1, spot.level};
    while (spot.level < level) {
        struct rcuinfo__node *fork = rcuinfo__build_node(build, RCUINFO__NODE_FORK);
        fork->n = WAYS;
        spot.places[spot.start] = fork;
        spot = (struct spot){rcuinfo__node_inner(fork)->child, way(item->hash, spot.level + 1), 1, spot.level + 1};
        for (uint32_t i = 0; i < WAYS; i++)
            spot.places[i] = NULL;
    }
    struct rcuinfo__bucket *halves[2];
    halve(build, full, item, UINT32_C(1) << 31 >> __builtin_clz(bits), halves);
    uint32_t width = (WAYS / 2) >> bit;
    uint32_t start = way(item->hash, level) & ~(2 * width - 1);
    for (uint32_t side = 0; side < 2; side++)
        fill(&(struct spot){spot.places, start + side * width, width, level}, &halves[side]->node);
}

void rcuinfo__trie_add(struct rcuinfo__build *build, struct rcuinfo__node **root, struct rcuinfo__item *item)
{
    struct spot spot = descend(build, root, item->hash, NULL);
    struct rcuinfo__bucket *bucket = at_spot(&spot) ? rcuinfo__node_bucket(at_spot(&spot)) : NULL;
    if (bucket && has_room(bucket, item->hash)) {
        struct rcuinfo__node *node = &bucket->node;
        bucket = rcuinfo__node_bucket(rcuinfo__build_own(build, &node));
    } else {
        uint32_t bits = bucket ? differing(bucket, item->hash) : 0;
        if (bits) {
            split(build, spot, item, bits);
            return;
        }
        bucket = new_bucket(build, bucket);
    }
    bucket_add(bucket, item->hash, item);
    fill(&spot, &bucket->node);
}

static bool has(const struct rcuinfo__bucket *bucket, const struct rcuinfo__item *item, uint32_t *place)
{
    for (*place = 0; *place < bucket->node.n; (*place)++) {
        if (bucket->item[*place] == item)
            return true;
    }
    return false;
}

void rcuinfo__trie_need_change(struct rcuinfo__node *root, const struct rcuinfo__item *old, struct rcuinfo__need *need)
{
    struct spot spot = descend(NULL, &root, old->hash, NULL);
    uint32_t buckets = 1;
    uint32_t place;
    for (const struct rcuinfo__bucket *bucket = rcuinfo__node_bucket(at_spot(&spot)); !has(bucket, old, &place);
         bucket = bucket->next)
        buckets++;
    add_need(need, spot.level, buckets);
    need->replaced += spot.level + buckets + MERGED; /* each bucket that is merged has an item at least */
}

/* The bucket with an item, which it and those before it in the chain become the version's own for. */
static struct rcuinfo__bucket *own_bucket(struct rcuinfo__build *build, const struct spot *spot,
                                          const struct rcuinfo__item *item, uint32_t *place)
{
    struct rcuinfo__node *node = at_spot(spot);
    struct rcuinfo__bucket *bucket = rcuinfo__node_bucket(rcuinfo__build_own(build, &node));
    fill(spot, node);
    while (!has(bucket, item, place)) {
        node = &bucket->next->node;
        bucket->next = rcuinfo__node_bucket(rcuinfo__build_own(build, &node));
        bucket = bucket->next;
    }
    return bucket;
}

void rcuinfo__trie_replace(struct rcuinfo__build *build, struct rcuinfo__node **root, const struct rcuinfo__item *old,
                           struct rcuinfo__item *item)
{
    struct spot spot = descend(build, root, old->hash, NULL);
    uint32_t place;
    own_bucket(build, &spot, old, &place)->item[place] = item;
}

/* Takes the item out, and fills its place out of the first bucket of the chain. */
static void take_out(struct rcuinfo__build *build, const struct spot *spot, const struct rcuinfo__item *item)
{
    uint32_t place;
    struct rcuinfo__bucket *bucket = own_bucket(build, spot, item, &place);
    struct rcuinfo__bucket *first = rcuinfo__node_bucket(at_spot(spot));
    uint32_t last = --first->node.n;
    bucket->item[place] = first->item[last];
    bucket->hash[place] = first->hash[last];
    if (!last) {
        fill(spot, first->next ? &first->next->node : NULL);
        rcuinfo__build_retire(build, &first->node);
    }
}

/* What one bit tells from the spot, in its fork. */
static struct spot other_of(struct spot spot)
{
    spot.start ^= spot.width;
    return spot;
}

/* Puts what is at the spot together with what one bit tells from it, if that is to be; they are at the spot then. */
static bool merge(struct rcuinfo__build *build, struct spot *spot)
{
    struct spot beside = other_of(*spot);
    struct rcuinfo__node *node = at_spot(spot);
    struct rcuinfo__node *other = at_spot(&beside);
    if (!uniform(&beside) || (other && other->kind == RCUINFO__NODE_FORK))
        return false;
    if (node && other) {
        struct rcuinfo__bucket *into = rcuinfo__node_bucket(node);
        struct rcuinfo__bucket *from = rcuinfo__node_bucket(other);
        if (node->n + other->n > MERGED || into->next || from->next || !rcuinfo__build_owns(build, node))
            return false;
        for (uint32_t i = 0; i < other->n; i++)
            bucket_add(into, from->hash[i], from->item[i]);
        rcuinfo__build_retire(build, other);
    }
    spot->start &= ~spot->width;
    spot->width *= 2;
    fill(spot, node ? node : other);
    return true;
}

void rcuinfo__trie_remove(struct rcuinfo__build *build, struct rcuinfo__node **root, const struct rcuinfo__item *old)
{
    struct spot path[PATH_FORKS];
    struct spot spot = descend(build, root, old->hash, path);
    take_out(build, &spot, old);
    while (spot.level) {
        if (spot.width == WAYS) {
            struct rcuinfo__node *node = at_spot(&spot);
            spot = path[spot.level - 1];
            rcuinfo__build_retire(build, at_spot(&spot));
            fill(&spot, node);
        } else if (!merge(build, &spot)) {
            break;
        }
    }
}

/* Whether a bucket's hashes all have the bits that lead to the spot, and are those of its items. */
static bool bucket_valid(const struct rcuinfo__bucket *bucket, uint32_t prefix, uint32_t bits, uint32_t *items)
{
    uint32_t mask = bits ? ~UINT32_C(0) << (32 - bits) : 0;
    bool chained = bucket->next != NULL;
    for (; bucket; bucket = bucket->next) {
        if (!bucket->node.n || bucket->node.n > RCUINFO__FANOUT)
            return false;
        for (uint32_t i = 0; i < bucket->node.n; i++) {
            const struct rcuinfo__item *item = bucket->item[i];
            if (bucket->hash[i] != item->hash || (item->hash & mask) != prefix ||
                (chained && item->hash != bucket->hash[0]))
                return false;
        }
        *items += bucket->node.n;
    }
    return true;
}

static bool fork_valid(struct rcuinfo__node *fork, uint32_t level, uint32_t prefix, uint32_t *items)
{
    if (level > LEVELS)
        return false;
    for (uint32_t place = 0; place < WAYS;) {
        struct spot spot = spot_around(fork, level, place);
        struct rcuinfo__node *node = at_spot(&spot);
        uint32_t below = prefix | (uint32_t)((uint64_t)spot.start << (32 - WAY_BITS * level));
        struct spot beside = other_of(spot);
        if (spot.start != place || spot.width == WAYS)
            return false;
        if (!node || node->kind == RCUINFO__NODE_BUCKET) {
            struct rcuinfo__node *other = at_spot(&beside);
            if (uniform(&beside) && (!other || other->kind == RCUINFO__NODE_BUCKET) &&
                (!node || !other || node->n + other->n <= MERGED) && !(node && rcuinfo__node_bucket(node)->next) &&
                !(other && rcuinfo__node_bucket(other)->next))
                return false; /* should have been merged */
        }
        uint32_t bits = WAY_BITS * level - (uint32_t)__builtin_ctz(spot.width);
        if (node && !(node->kind == RCUINFO__NODE_FORK ? fork_valid(node, level + 1, below, items)
                                                       : bucket_valid(rcuinfo__node_bucket(node), below, bits, items)))
            return false;
        place += spot.width;
    }
    return true;
}

bool rcuinfo__trie_valid(struct rcuinfo__node *root, uint32_t count)
{
    uint32_t items = 0;
    bool valid = !root || (root->kind == RCUINFO__NODE_FORK ? fork_valid(root, 1, 0, &items)
                                                            : bucket_valid(rcuinfo__node_bucket(root), 0, 0, &items));
    return valid && items == count;
}
