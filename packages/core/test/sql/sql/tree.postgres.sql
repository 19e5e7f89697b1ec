select case when octet_length("crud_answer".json) > 33554432 then 'too large' else "crud_answer".json end as json
from (select ((('{"id":' || "t0"."id") || (',"name":' || coalesce(to_json("t0"."name"::text)::text, 'null'))) || ((',"categories":' || (with recursive "crud_t0b" as (select "t0c".*
            from "category" as "t0c"
            where ("t0c"."parentId" = "t0"."id" and "t0c"."parentId" + 0 = "t0"."id") and "t0c"."id" <> "t0"."id"
            union all select "t0c".*
            from "crud_t0b"
            cross join lateral (select "t0c".*
              from "category" as "t0c"
              where ("t0c"."parentId" = "crud_t0b"."id" and "t0c"."parentId" + 0 = "crud_t0b"."id") and "t0c"."id" <> "t0"."id" offset 0) as "t0c") select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
          from (select ((('[' || case when "t1"."parentId" is not null then 0 end) || (',' || "t1"."parentId")) || ((',' || ((('{"id":' || "t1"."id") || (',"name":' || coalesce(to_json("t1"."name"::text)::text, 'null'))) || ((',"categories":' || 'null') || '}'))) || ']')) as "json"
            from "crud_t0b" as "t1"
            order by "t1"."id") as "items")) || '}')) as json
  from "category" as "t0"
  where "t0"."id" = $1::bigint and true offset 0) as "crud_answer"
