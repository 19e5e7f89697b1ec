/**
 * Items that belong together, by what they belong to: in the order in which these first come. For few groups: an item that
 * does not belong where the one before it does is compared with each.
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
