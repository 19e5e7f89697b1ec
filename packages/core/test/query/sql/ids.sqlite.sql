select ((('{"id":' || "t0"."id") || (',"cover":' || coalesce((select (('{"id":' || "t1"."id") || '}')
          from "cover" as "t1"
          where unlikely("t1"."bookId" = "t0"."id")), 'null'))) || ((',"chapters":' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
        from (select (('{"id":' || "t1"."id") || '}') as "json"
          from "chapter" as "t1"
          where unlikely("t1"."bookId" = "t0"."id")
          order by "t1"."id") as "items")) || '}')) as json
from "books" as "t0"
where "t0"."id" = ? and true
