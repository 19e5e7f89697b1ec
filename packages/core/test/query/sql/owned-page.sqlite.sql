select case when exists (select 1
  from "books" as "o"
  where "o"."id" = ?) and true then ((('{"rows":' || (select '[' || coalesce(string_agg((((('{"id":' || "t0"."id") || ',"title":') || (json_quote("t0"."title") || ',"editorId":')) || ((coalesce(cast("t0"."editorId" as text), 'null') || ',"editor":') || (coalesce((select ((('{"id":' || "t1"."id") || ',"name":') || (json_quote("t1"."name") || '}'))
                      from "author" as "t1"
                      where "t1"."id" = "t0"."editorId"), 'null') || '}'))), ','), '') || ']'
        from (select *
          from "chapter" as "t0"
          where "t0"."bookId" = ?
          order by "t0"."id"
          limit ? offset ?) as "t0")) || ',"count":') || ((select count(*)
      from "chapter" as "t0"
      where "t0"."bookId" = ?) || '}')) end as json 
