select exists (select 1
  from "album" as "o"
  where "o"."id" = ?) and true as owners, true as allowed, false as occupied, exists (select 1
  from "track" as "t0"
  where "t0"."id" = ?) as taken
-- [111,221]
