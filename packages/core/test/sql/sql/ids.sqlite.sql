select ((('{"id":' || cast("t0"."id" as integer)) || (',"cover":' || coalesce((select (('{"id":' || cast("t1"."id" as integer)) || '}')
          from "cover" as "t1"
          where unlikely("t1"."bookId" = "t0"."id")), 'null'))) || ((',"chapters":' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
        from (select (('{"id":' || cast("t1"."id" as integer)) || '}') as "json"
          from "chapter" as "t1"
          where unlikely("t1"."bookId" = "t0"."id")
          order by "t1"."id") as "items")) || '}')) as json
from "books" as "t0"
where "t0"."id" = ? and true
