select case when octet_length("crud_answer".json) > 33554432 then 'too large' else "crud_answer".json end as json
from (select ((('{"id":' || "t0"."id") || (',"cover":' || coalesce((select (('{"id":' || "t1"."id") || '}')
            from "cover" as "t1"
            where "t1"."bookId" = "t0"."id" and "t1"."bookId" + 0 = "t0"."id"), 'null'))) || ((',"chapters":' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
          from (select (('{"id":' || "t1"."id") || '}') as "json"
            from "chapter" as "t1"
            where "t1"."bookId" = "t0"."id" and "t1"."bookId" + 0 = "t0"."id"
            order by "t1"."id" + 0) as "items")) || '}')) as json
  from "books" as "t0"
  where "t0"."id" = $1::bigint and true offset 0) as "crud_answer"
