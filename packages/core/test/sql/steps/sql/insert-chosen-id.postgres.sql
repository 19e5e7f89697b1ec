insert into "album" ("id", "title", "shelf", "facts", "labelId", "openerId") overriding system value values ($1, $2, $3, $4::text::json, $5, $6)
-- [77,"New",null,"{\"of\":\"New\"}",2,null]
