with "crud_gone" as (delete
  from "playlist" as "t0"
  where "t0"."id" = $1::bigint and true returning "id"), "crud_0" as (delete
  from "song" as "t1"
  where "playlistId" = (select "id"
    from "crud_gone")) select 1 as one
from "crud_gone"
-- [51]
