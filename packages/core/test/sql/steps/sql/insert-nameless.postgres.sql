insert into "album" ("title", "shelf", "facts", "labelId", "openerId") values ($1, $2, $3::text::json, $4, $5)
-- ["New",null,"{\"of\":\"New\"}",2,null]
