select (select (select '{"rows":' || '[' || coalesce(string_agg(((('{"id":' || cast("t0"."id" as integer)) || ',"word":') || (case when "t0"."word" >= x'' then char(1) else json_quote("t0"."word") end || '}')), ','), '') || ']' || ',"count":' || "crud_counted"."count" || case when "crud_counted"."count" > (select ?) + (select ?) then ',"next":' || (('[' || cast(max("t0"."id") as integer)) || ']') || '} ' else '}' end
    from (select *
      from "tag" as "t0"
      order by "t0"."id"
      limit (select ?) offset (select ?)) as "t0")
  from (select count(*) as "count"
    from "tag" as "t0") as "crud_counted") as json 
