select case when octet_length("crud_answer".json) > 33554432 then 'too large' else "crud_answer".json end as json
from (select (select (select '{"rows":' || '[' || coalesce(string_agg(((('{"id":' || "t0"."id") || ',"word":') || (coalesce(to_json("t0"."word"::text)::text, 'null') || '}')), ','), '') || ']' || ',"count":' || "crud_counted"."count" || case when "crud_counted"."count" > (select $1::bigint) + (select $2::bigint) then ',"next":' || (('[' || max("t0"."id")) || ']') || '} ' else '}' end
      from (select *
        from "tag" as "t0"
        where "t0"."id" = any (array(select "t0"."id"
            from "tag" as "t0"
            order by "t0"."id"
            limit (select $3::bigint) offset (select $4::bigint)))
        order by "t0"."id") as "t0")
    from (select count(*) as "count"
      from "tag" as "t0") as "crud_counted") as json  offset 0) as "crud_answer"
