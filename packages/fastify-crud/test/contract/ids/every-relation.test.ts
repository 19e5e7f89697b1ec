import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { idsOfKind, withIds } from '../../../../../test/support/test-ids.ts'
import { testEveryRelation } from '../every-relation.ts'
import { library } from '../models/library.ts'

for (const kind of ['bigint', 'uuid', 'text']) {
  describeOnBoth(`every relation, with ids of the kind ${kind}`, (database) => {
    const ids = idsOfKind(kind)
    testEveryRelation(useApp(database, withIds(library, ids.declared)), ids)
  })
}
