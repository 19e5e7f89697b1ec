select case when octet_length("crud_answer".json) > 33554432 then 'too large' else "crud_answer".json end as json
from (select case when not (exists (select 1
      from "books" as "o"
      where "o"."id" = $1::bigint) and true) then null else (select (select '{"rows":' || '[' || coalesce(string_agg((((('{"id":' || "t0"."id") || ',"title":') || (coalesce(to_json("t0"."title"::text)::text, 'null') || ',"editorId":')) || ((coalesce(cast("t0"."editorId" as text), 'null') || ',"editor":') || (coalesce((select ((('{"id":' || "t1"."id") || ',"name":') || (coalesce(to_json("t1"."name"::text)::text, 'null') || '}'))
                    from "author" as "t1"
                    where "t1"."id" = "t0"."editorId" and ("t1"."id" > 0 or pg_catalog.to_tsvector('') is not null)), 'null') || '}'))), ','), '') || ']' || ',"count":' || "crud_counted"."count" || case when "crud_counted"."count" > (select $2::bigint) + (select $3::bigint) then ',"next":' || (('[' || max("t0"."id")) || ']') || '} ' else '}' end
      from (select *
        from "chapter" as "t0"
        where "t0"."id" = any (array(select "t0"."id"
            from "chapter" as "t0"
            where "t0"."bookId" = $4::bigint
            order by "t0"."id"
            limit (select $5::bigint) offset (select $6::bigint)))
        order by "t0"."id") as "t0")
    from (select count(*) as "count"
      from "chapter" as "t0"
      where "t0"."bookId" = $7::bigint) as "crud_counted") end as json  offset 0) as "crud_answer"
