select case when octet_length("crud_answer".json) > 33554432 then 'too large' else "crud_answer".json end as json
from (select case when (coalesce((select (coalesce(octet_length("t1"."about"::text), 0))
        from "series" as "t1"
        where "t1"."id" = "t0"."seriesId" and ("t1"."id" > 0 or pg_catalog.to_tsvector('') is not null)), 0)) > 33554432 then 'too large' else ((((('{"id":' || "t0"."id") || (',"title":' || coalesce(to_json("t0"."book_title"::text)::text, 'null'))) || ((',"price":' || case when "t0"."price" between -1.7976931348623157e+308 and 1.7976931348623157e+308 then to_json("t0"."price")::text when "t0"."price" is null then 'null' else chr(1) end) || ',"isOut":')) || (((coalesce("t0"."isOut"::text, 'null') || ',"publisherId":') || coalesce(cast("t0"."publisherId" as text), 'null')) || ((',"publisher":' || coalesce((select ((('{"id":' || "t1"."id") || ',"name":') || (coalesce(to_json("t1"."name"::text)::text, 'null') || '}'))
                from "publisher" as "t1"
                where "t1"."id" = "t0"."publisherId" and ("t1"."id" > 0 or pg_catalog.to_tsvector('') is not null)), 'null')) || ',"authors":'))) || (((((select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
              from (select (select ((('{"id":' || "t1"."id") || ',"name":') || (coalesce(to_json("t1"."name"::text)::text, 'null') || '}'))
                  from "author" as "t1"
                  where "t1"."id" = "t1l"."authorId" and ("t1"."id" > 0 or pg_catalog.to_tsvector('') is not null)) as "json"
                from "book_authors" as "t1l"
                where "t1l"."bookId" = "t0"."id" and "t1l"."bookId" + 0 = "t0"."id"
                order by "t1l"."authorId" + 0) as "items") || ',"cover":') || coalesce((select ((('{"id":' || "t1"."id") || ',"url":') || (coalesce(to_json("t1"."url"::text)::text, 'null') || '}'))
              from "cover" as "t1"
              where "t1"."bookId" = "t0"."id" and "t1"."bookId" + 0 = "t0"."id"), 'null')) || ((',"chapters":' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
              from (select (((('{"id":' || "t1"."id") || ',"title":') || (coalesce(to_json("t1"."title"::text)::text, 'null') || ',"editorId":')) || ((coalesce(cast("t1"."editorId" as text), 'null') || ',"editor":') || (coalesce((select ((('{"id":' || "t2"."id") || ',"name":') || (coalesce(to_json("t2"."name"::text)::text, 'null') || '}'))
                          from "author" as "t2"
                          where "t2"."id" = "t1"."editorId" and ("t2"."id" > 0 or pg_catalog.to_tsvector('') is not null)), 'null') || '}'))) as "json"
                from "chapter" as "t1"
                where "t1"."bookId" = "t0"."id" and "t1"."bookId" + 0 = "t0"."id"
                order by "t1"."id" + 0) as "items")) || ',"seriesId":')) || (((coalesce(cast("t0"."seriesId" as text), 'null') || ',"series":') || coalesce((select ((('{"id":' || "t1"."id") || (',"title":' || coalesce(to_json("t1"."title"::text)::text, 'null'))) || ((',"about":' || coalesce(to_json("t1"."about"::text)::text, 'null')) || '}'))
              from "series" as "t1"
              where "t1"."id" = "t0"."seriesId" and ("t1"."id" > 0 or pg_catalog.to_tsvector('') is not null)), 'null')) || ((',"tags":' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
              from (select (select ((('{"id":' || "t1"."id") || ',"word":') || (coalesce(to_json("t1"."word"::text)::text, 'null') || '}'))
                  from "tag" as "t1"
                  where "t1"."id" = "t1l"."tagId" and ("t1"."id" > 0 or pg_catalog.to_tsvector('') is not null)) as "json"
                from "book_tags" as "t1l"
                where "t1l"."bookId" = "t0"."id" and "t1l"."bookId" + 0 = "t0"."id"
                order by "t1l"."tagId" + 0) as "items")) || '}')))) end as json
  from "books" as "t0"
  where "t0"."id" = $1::bigint and true offset 0) as "crud_answer"
