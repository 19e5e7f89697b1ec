select ((('{"id":' || cast("t0"."id" as integer)) || (',"name":' || case when "t0"."name" >= x'' then char(1) else json_quote("t0"."name") end)) || ((',"categories":' || (with recursive "crud_t0b" as (select "t0c".*
          from "category" as "t0c"
          where (unlikely("t0c"."parentId" = "t0"."id")) and "t0c"."id" <> "t0"."id"
          union all select "t0c".*
          from "crud_t0b"
          cross join "category" as "t0c" on (unlikely("t0c"."parentId" = "crud_t0b"."id")) and "t0c"."id" <> "t0"."id") select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
        from (select ((('[' || case when "t1"."parentId" is not null then 0 end) || (',' || cast("t1"."parentId" as integer))) || ((',' || ((('{"id":' || cast("t1"."id" as integer)) || (',"name":' || case when "t1"."name" >= x'' then char(1) else json_quote("t1"."name") end)) || ((',"categories":' || 'null') || '}'))) || ']')) as "json"
          from "crud_t0b" as "t1"
          order by "t1"."id") as "items")) || '}')) as json
from "category" as "t0"
where "t0"."id" = ? and true
