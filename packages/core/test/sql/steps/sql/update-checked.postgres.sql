with "crud_s0" as (update "album" set "title" = $1
  where "id" = $2::bigint returning 1) select (select case when "crud_written".count < $3::numeric then cast('fastify-crud: the database has left a row as it is, so the request is refused' || left(coalesce("crud_written".count::text, ''), 0) as integer) end
  from (select (select count(*)
      from "crud_s0") as count offset 0) as "crud_written") as done
-- ["New",111,1]
