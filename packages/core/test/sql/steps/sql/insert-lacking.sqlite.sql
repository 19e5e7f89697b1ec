insert into "track" ("albumId", "title") values (?, ?)
-- [112,"x"]
