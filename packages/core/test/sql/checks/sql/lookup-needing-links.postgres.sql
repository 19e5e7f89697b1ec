select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select ((('[' || "n"."id") || (',' || "n"."needs")) || ((',' || "n"."shown") || ']')) as "json"
        from (select "x"."id", count(*) as "needs", count(*) as "shown"
          from (select unnest((select $1::bigint[])) as "id") as "x"
          cross join lateral (select "t".*
            from "album_artist" as "t"
            where "t"."artistId" = "x"."id" and "t"."artistId" + 0 = "x"."id" offset 0) as "t"
          where "t"."albumId" not in (select unnest((select $2::bigint[])) as "id") group by "x"."id") as "n"
        order by "n"."id") as "items")) || ']') as json
-- ["{1,2,3}","{}"]
