select exists (select 1
  from "album" as "o"
  where "o"."id" = $1::bigint) and true as owners, true as allowed, false as occupied, exists (select 1
  from "track" as "t0"
  where "t0"."id" = $2::bigint) as taken
-- [111,221]
