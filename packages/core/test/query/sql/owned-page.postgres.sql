select case when octet_length("crud_answer".json) > 33554432 then 'too large' else "crud_answer".json end as json
from (select case when exists (select 1
    from "books" as "o"
    where "o"."id" = $1::bigint) and true then ((('{"rows":' || (select '[' || coalesce(string_agg((((('{"id":' || "t0"."id") || ',"title":') || (coalesce(to_json("t0"."title"::text)::text, 'null') || ',"editorId":')) || ((coalesce(cast("t0"."editorId" as text), 'null') || ',"editor":') || (coalesce((select ((('{"id":' || "t1"."id") || ',"name":') || (coalesce(to_json("t1"."name"::text)::text, 'null') || '}'))
                        from "author" as "t1"
                        where "t1"."id" = "t0"."editorId" and ("t1"."id" > 0 or pg_catalog.to_tsvector('') is not null)), 'null') || '}'))), ','), '') || ']'
          from (select *
            from "chapter" as "t0"
            where "t0"."id" = any (array(select "t0"."id"
                from "chapter" as "t0"
                where "t0"."bookId" = $2::bigint
                order by "t0"."id"
                limit (select $3::bigint) offset (select $4::bigint)))
            order by "t0"."id") as "t0")) || ',"count":') || ((select count(*)
        from "chapter" as "t0"
        where "t0"."bookId" = $5::bigint) || '}')) end as json  offset 0) as "crud_answer"
