insert into "album" ("title", "shelf", "facts", "labelId", "openerId") values (?, cast(? as integer), ?, ?, ?), (?, cast(? as integer), ?, ?, ?)
-- ["New",null,"{\"of\":\"New\"}",2,null,"Newer",null,"{\"of\":\"Newer\"}",2,null]
