select ((((('{"id":' || cast("t0"."id" as integer)) || ',"title":') || ((case when "t0"."book_title" >= x'' then char(1) else json_quote("t0"."book_title") end || ',"price":') || case when +"t0"."price" between -1.7976931348623157e+308 and 1.7976931348623157e+308 then json_quote("t0"."price") when "t0"."price" is null then 'null' else char(1) end)) || (((',"isOut":' || case when "t0"."isOut" is null then 'null' when "t0"."isOut" then 'true' else 'false' end) || ',"publisherId":') || (coalesce(cast(cast("t0"."publisherId" as integer) as text), 'null') || ',"authors":'))) || (((((select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
            from (select (('{"id":' || cast("t1l"."authorId" as integer)) || '}') as "json"
              from "book_authors" as "t1l"
              where unlikely("t1l"."bookId" = "t0"."id")
              order by "t1l"."authorId") as "items") || ',"cover":') || coalesce((select ((('{"id":' || cast("t1"."id" as integer)) || ',"url":') || (case when "t1"."url" >= x'' then char(1) else json_quote("t1"."url") end || '}'))
            from "cover" as "t1"
            where unlikely("t1"."bookId" = "t0"."id")), 'null')) || (',"chapters":' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
          from (select ((('{"id":' || cast("t1"."id" as integer)) || (',"title":' || case when "t1"."title" >= x'' then char(1) else json_quote("t1"."title") end)) || ((',"editorId":' || coalesce(cast(cast("t1"."editorId" as integer) as text), 'null')) || '}')) as "json"
            from "chapter" as "t1"
            where unlikely("t1"."bookId" = "t0"."id")
            order by "t1"."id") as "items"))) || (((',"seriesId":' || coalesce(cast(cast("t0"."seriesId" as integer) as text), 'null')) || ',"tags":') || ((select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
          from (select (('{"id":' || cast("t1l"."tagId" as integer)) || '}') as "json"
            from "book_tags" as "t1l"
            where unlikely("t1l"."bookId" = "t0"."id")
            order by "t1l"."tagId") as "items") || '}')))) as json
from "books" as "t0"
where "t0"."id" = ? and true
