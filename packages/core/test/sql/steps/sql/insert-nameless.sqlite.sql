insert into "album" ("title", "shelf", "facts", "labelId", "openerId") values (?, cast(? as integer), ?, ?, ?)
-- ["New",null,"{\"of\":\"New\"}",2,null]
