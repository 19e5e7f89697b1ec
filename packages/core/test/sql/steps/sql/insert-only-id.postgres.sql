insert into "ticket" ("id") overriding system value values ($1)
-- [41]
