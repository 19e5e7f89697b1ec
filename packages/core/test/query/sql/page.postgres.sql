select case when octet_length("crud_answer".json) > 33554432 then 'too large' else "crud_answer".json end as json
from (select ((('{"rows":' || (select '[' || coalesce(string_agg(((('{"id":' || "t0"."id") || ',"word":') || (coalesce(to_json("t0"."word"::text)::text, 'null') || '}')), ','), '') || ']'
          from (select *
            from "tag" as "t0"
            where "t0"."id" = any (array(select "t0"."id"
                from "tag" as "t0"
                order by "t0"."id"
                limit (select $1::bigint) offset (select $2::bigint)))
            order by "t0"."id") as "t0")) || ',"count":') || ((select count(*)
        from "tag" as "t0") || '}')) as json  offset 0) as "crud_answer"
