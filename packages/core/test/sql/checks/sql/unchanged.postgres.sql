select case when "crud_found".json is distinct
from $1::text then cast('fastify-crud: the record changed after it was read, so the write begins anew' || left(coalesce("crud_found".json, ''), 0) as integer) end as "same"
from (select) as "crud_one"
left join (select ((('{"id":' || "t0"."id") || ',"name":') || (coalesce(to_json("t0"."name"::text)::text, 'null') || '}')) as json
  from "artist" as "t0"
  where "t0"."id" = $2::bigint and true offset 0) as "crud_found" on true
-- ["{\"id\":1,\"name\":\"Ada\"}",1]
