insert into "ticket" ("id") values (?)
-- [41]
