with "crud_s0" as (delete
  from "track"
  where "id" in ($1::bigint)), "crud_s1" as (update "album" set "title" = $2
  where "id" = $3::bigint), "crud_s2" as (insert into "note" ("albumId", "text") values ($4, $5)) select 1 as done
-- [223,"New",112,112,"n"]
