/**
 * Groups items by a key, in the order of the keys' first items. For few groups only: an item that does not belong to the
 * last group is compared with all of them.
 */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): [Key, Item[]][] {
  const groups: [Key, Item[]][] = []
  for (const item of items) {
    const key = keyOf(item)
    let group = groups.at(-1)
    if (group !== undefined && group[0] !== key) group = groups.find(([known]) => known === key)
    if (group === undefined) groups.push([key, [item]])
    else group[1].push(item)
  }
  return groups
}
