with "crud_written" as (update "album" set "title" = $1
  where "id" = $2::bigint returning 1) select case when (select count(*)
  from "crud_written") < $3::numeric then cast('fastify-crud: a policy has left a row as it is, so the request is refused' || left(coalesce((select count(*)
        from "crud_written")::text, ''), 0) as integer) end as done
-- ["New",111,1]
