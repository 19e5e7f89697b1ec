select case when octet_length("crud_answer".json) > 33554432 then 'too large' else "crud_answer".json end as json
from (select ((((('{"id":' || "t0"."id") || ',"title":') || ((coalesce(to_json("t0"."book_title"::text)::text, 'null') || ',"price":') || case when "t0"."price" between -1.7976931348623157e+308 and 1.7976931348623157e+308 then to_json("t0"."price")::text when "t0"."price" is null then 'null' else chr(1) end)) || (((',"isOut":' || coalesce("t0"."isOut"::text, 'null')) || ',"publisherId":') || (coalesce(cast("t0"."publisherId" as text), 'null') || ',"authors":'))) || (((((select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
              from (select (('{"id":' || "t1l"."authorId") || '}') as "json"
                from "book_authors" as "t1l"
                where "t1l"."bookId" = "t0"."id" and "t1l"."bookId" + 0 = "t0"."id"
                order by "t1l"."authorId" + 0) as "items") || ',"cover":') || coalesce((select ((('{"id":' || "t1"."id") || ',"url":') || (coalesce(to_json("t1"."url"::text)::text, 'null') || '}'))
              from "cover" as "t1"
              where "t1"."bookId" = "t0"."id" and "t1"."bookId" + 0 = "t0"."id"), 'null')) || (',"chapters":' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
            from (select ((('{"id":' || "t1"."id") || (',"title":' || coalesce(to_json("t1"."title"::text)::text, 'null'))) || ((',"editorId":' || coalesce(cast("t1"."editorId" as text), 'null')) || '}')) as "json"
              from "chapter" as "t1"
              where "t1"."bookId" = "t0"."id" and "t1"."bookId" + 0 = "t0"."id"
              order by "t1"."id" + 0) as "items"))) || (((',"seriesId":' || coalesce(cast("t0"."seriesId" as text), 'null')) || ',"tags":') || ((select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
            from (select (('{"id":' || "t1l"."tagId") || '}') as "json"
              from "book_tags" as "t1l"
              where "t1l"."bookId" = "t0"."id" and "t1l"."bookId" + 0 = "t0"."id"
              order by "t1l"."tagId" + 0) as "items") || '}')))) as json
  from "books" as "t0"
  where "t0"."id" = $1::bigint and true offset 0) as "crud_answer"
