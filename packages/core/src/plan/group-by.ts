/**
 * Items that belong together, by what they belong to: in the order in which these first come. For few groups: each item is
 * compared with what others belong to.
 */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): [Key, Item[]][] {
  const groups: [Key, Item[]][] = []
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.find(([known]) => known === key)
    if (group === undefined) groups.push([key, [item]])
    else group[1].push(item)
  }
  return groups
}
