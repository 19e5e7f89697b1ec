insert into "track" ("albumId", "title") values ($1, $2)
-- [112,"x"]
