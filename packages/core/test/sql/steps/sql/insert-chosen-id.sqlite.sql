insert into "album" ("id", "title", "shelf", "facts", "labelId", "openerId") values (?, ?, cast(? as integer), ?, ?, ?)
-- [77,"New",null,"{\"of\":\"New\"}",2,null]
