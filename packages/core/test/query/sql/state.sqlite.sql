select ((((('{"id":' || "t0"."id") || ',"title":') || ((json_quote("t0"."book_title") || ',"price":') || json_quote("t0"."price"))) || (((',"isOut":' || case when "t0"."isOut" is null then 'null' when "t0"."isOut" then 'true' else 'false' end) || ',"publisherId":') || (coalesce(cast("t0"."publisherId" as text), 'null') || ',"authors":'))) || (((((select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
            from (select (('{"id":' || "t1l"."authorId") || '}') as "json"
              from "book_authors" as "t1l"
              where unlikely("t1l"."bookId" = "t0"."id")
              order by "t1l"."authorId") as "items") || ',"cover":') || coalesce((select ((('{"id":' || "t1"."id") || ',"url":') || (json_quote("t1"."url") || '}'))
            from "cover" as "t1"
            where unlikely("t1"."bookId" = "t0"."id")), 'null')) || (',"chapters":' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
          from (select ((('{"id":' || "t1"."id") || (',"title":' || json_quote("t1"."title"))) || ((',"editorId":' || coalesce(cast("t1"."editorId" as text), 'null')) || '}')) as "json"
            from "chapter" as "t1"
            where unlikely("t1"."bookId" = "t0"."id")
            order by "t1"."id") as "items"))) || (((',"seriesId":' || coalesce(cast("t0"."seriesId" as text), 'null')) || ',"tags":') || ((select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
          from (select (('{"id":' || "t1l"."tagId") || '}') as "json"
            from "book_tags" as "t1l"
            where unlikely("t1l"."bookId" = "t0"."id")
            order by "t1l"."tagId") as "items") || '}')))) as json
from "books" as "t0"
where "t0"."id" = ? and true
