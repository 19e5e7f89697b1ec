select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select cast("t"."id" as text) as "json"
        from (select unnest((select $1::bigint[])) as "id") as "x"
        cross join lateral (select "t".*
          from "album" as "t"
          where "t"."id" = "x"."id" and (($2::boolean and ("t"."labelId" = $3::bigint))) is not true offset 0) as "t"
        order by "t"."id") as "items")) || ']') as json
-- ["{111,112}",true,1]
