select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select ((('[' || "x"."crud_index") || ',') || (cast("t"."id" as integer) || ']')) as "json"
        from (select key as "crud_index", value ->> 0 as "shelf"
          from json_each(?)) as "x"
        cross join "album" as "t" on "t"."shelf" = "x"."shelf"
        order by "t"."id") as "items")) || ']') as json
-- ["[[7],[2],[1]]"]
