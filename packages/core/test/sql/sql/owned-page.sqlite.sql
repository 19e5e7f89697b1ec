select case when not (exists (select 1
    from "books" as "o"
    where "o"."id" = ?) and true) then null else (select (select '{"rows":' || '[' || coalesce(string_agg((((('{"id":' || cast("t0"."id" as integer)) || ',"title":') || (case when "t0"."title" >= x'' then char(1) else json_quote("t0"."title") end || ',"editorId":')) || ((coalesce(cast(cast("t0"."editorId" as integer) as text), 'null') || ',"editor":') || (coalesce((select ((('{"id":' || cast("t1"."id" as integer)) || ',"name":') || (case when "t1"."name" >= x'' then char(1) else json_quote("t1"."name") end || '}'))
                  from "author" as "t1"
                  where "t1"."id" = "t0"."editorId"), 'null') || '}'))), ','), '') || ']' || ',"count":' || "crud_counted"."count" || case when "crud_counted"."count" > (select ?) + (select ?) then ',"next":' || (('[' || cast(max("t0"."id") as integer)) || ']') || '} ' else '}' end
    from (select *
      from "chapter" as "t0"
      where "t0"."bookId" = ?
      order by "t0"."id"
      limit (select ?) offset (select ?)) as "t0")
  from (select count(*) as "count"
    from "chapter" as "t0"
    where "t0"."bookId" = ?) as "crud_counted") end as json 
