insert into "group" ("id", "aboveId", "name") values (?, ?, ?), (?, ?, ?), (?, ?, ?)
-- [31,null,"a",32,null,"b",33,32,"c"]
