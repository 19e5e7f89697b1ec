with "crud_s0" as (delete
  from "track"
  where "id" in ($1::bigint) returning 1), "crud_s1" as (update "album" set "title" = $2
  where "id" = $3::bigint returning 1), "crud_s2" as (insert into "note" ("albumId", "text") values ($4, $5) returning 1) select (select case when "crud_written".count < $6::numeric then cast('fastify-crud: the database has left a row as it is, so the request is refused' || left(coalesce("crud_written".count::text, ''), 0) as integer) end
  from (select (select count(*)
      from "crud_s0") + (select count(*)
      from "crud_s1") + (select count(*)
      from "crud_s2") as count offset 0) as "crud_written") as done
-- [223,"New",112,112,"n",3]
